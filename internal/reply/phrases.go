package reply

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// attributions match the sentences with which mail programs introduce a quote, in the ten languages of the service.
var attributions = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(on|at|in a message) .*\bwrote\s*:$`),
	regexp.MustCompile(`(?i)^am .*(\bschrieb\b.*|geschrieben\s*):$`),
	regexp.MustCompile(`(?i)^le .*a écrit\s*:$`),
	regexp.MustCompile(`(?i)^(el|en) .*escribió\s*:$`),
	regexp.MustCompile(`(?i)^(il|in data) .*ha scritto\s*:$`),
	regexp.MustCompile(`(?i)^op .*(\bschreef\b.*|geschreven\s*):$`),
	regexp.MustCompile(`(?i)^(w dniu|dnia|pon|wt|śr|czw|pt|sob|niedz|ndz|nd)[.,a-zżźćąęłńóś]* ` +
		`.*(napisał(\(a\)|a)?|pisze)\s*:$`),
	regexp.MustCompile(`(?i)^wiadomość napisana przez .*:$`),
	regexp.MustCompile(`(?i)^(em|no dia|na|a|à|às) .*escreveu\s*:$`),
	regexp.MustCompile(`^\d{4}\s?[年/.-].*(<[^<>]+@[^<>]+>|のメール|書きました)\s*[:：]$`),
	regexp.MustCompile(`^在.*[写寫]道\s*[:：]$`),
}

// openAttributions match sentences of which the beginning is a name.
var openAttributions = regexp.MustCompile(`(?i)\bschrieb am .*:$|escreveu (\(|no dia|em |às ).*:$|[写寫]道\s*[:：]$`)

// verbs end an attribution that names the sender's address.
var verbs = regexp.MustCompile(`(?i)(wrote|schrieb|geschrieben|a écrit|escribió|ha scritto|schreef|geschreven|` +
	`napisał(\(a\)|a)?|pisze|escreveu|のメール|書きました|[写寫]道)\s*[:：]$`)

var (
	clockTime = regexp.MustCompile(`\d{1,2}\s?([:.h]|時|时|点)\s?\d{2}`)
	inAngles  = regexp.MustCompile(`[<(\[]\s*[^\s<>]+@[^\s<>]+[>)\]]|mailto:`)
)

// introducesQuote reports whether a sentence is the one that a mail program writes above a quote: 0 for no, 1 if its
// beginning may be missing or belong to another sentence, 2 for yes. Such a sentence names a time or an address, so
// that "On Monday I wrote:" remains.
func introducesQuote(text string) int {
	if strings.HasPrefix(text, "--") && strings.HasSuffix(text, "--") { // Zoho writes dashes instead of a colon
		text = strings.Trim(text, "- ") + ":"
	}
	if !strings.HasSuffix(text, ":") && !strings.HasSuffix(text, "：") {
		return 0
	}
	hasTime, hasAddress := clockTime.MatchString(text), inAngles.MatchString(text)
	if hasTime && hasAddress {
		return 2
	}
	if !hasTime && !hasAddress {
		return 0
	}
	for _, r := range attributions {
		if r.MatchString(text) {
			return 2
		}
	}
	if hasAddress && verbs.MatchString(text) || openAttributions.MatchString(text) {
		return 1
	}
	return 0
}

var separator = regexp.MustCompile(`(?i)^\s*[-_=*—–]{2,}\s*(original message|original e?-?mail|` +
	`(ursprüngliche|original)[ -]?nachricht|ursprüngliche e?-?mail|originalnachricht|` +
	`(message|mail|courriel) (d['’]origine|d['’]origine|original)|(mensaje|correo) original|messaggio originale|` +
	`(oorspronkelijk|origineel) bericht|(wiadomość|wiadomosc) oryginalna|oryginalna wiadomość|mensagem original|` +
	`元のメッセージ|元のメール|(回复的)?原始?[邮郵]件|邮件原件|原始信息)\s*[-_=*—–]{2,}\s*$`)

// groupWise matches the line above a quoted e-mail in GroupWise, which does not prefix the lines below.
var groupWise = regexp.MustCompile(`^>>>.*(@|\d[:.]\d\d).*>>>\s*$`)

// isSeparator reports whether a line is the one above a quoted e-mail.
func isSeparator(line string) bool {
	return isShort(line) && (separator.MatchString(strings.Map(visible, line)) || groupWise.MatchString(line))
}

var forward = regexp.MustCompile(`(?i)^\s*([-_=*]{2,}\s*(forwarded message|weitergeleitete (nachricht|mail)|` +
	`message transféré|mensaje reenviado|messaggio inoltrato|doorgestuurd bericht|przekazana wiadomość|` +
	`wiadomość przekazana|mensagem encaminhada|転送(された)?メッセージ|转发(的)?邮件|轉寄郵件)\s*[-_=*]{2,}|` +
	`begin forwarded message:|anfang der weitergeleiteten nachricht:|début du message (réexpédié|transféré)\s*:|` +
	`inicio del mensaje reenviado:|inizio messaggio inoltrato:|begin doorgestuurd bericht:|` +
	`początek przekazywanej wiadomości:|início da mensagem (encaminhada|reencaminhada):|転送されたメッセージ[:：]|` +
	`以下是转发的邮件[:：])\s*$`)

// isForward reports whether a line is the one above a forwarded e-mail.
func isForward(line string) bool {
	return isShort(line) && forward.MatchString(strings.Map(visible, line))
}

func isShort(line string) bool {
	const limit = 300 // bytes
	return line != "" && len(line) <= limit
}

// labels maps the names of header fields above a quoted e-mail, as Outlook and others show them, to their meaning.
var labels = map[string]string{
	"from": "from", "von": "from", "de": "from", "da": "from", "van": "from", "od": "from", "expéditeur": "from",
	"remitente": "from", "mittente": "from", "nadawca": "from", "remetente": "from", "absender": "from",
	"afzender": "from", "差出人": "from", "送信者": "from", "发件人": "from", "寄件者": "from", "寄件人": "from",

	"sent": "sent", "date": "sent", "gesendet": "sent", "datum": "sent", "envoyé": "sent", "enviado": "sent",
	"enviado el": "sent", "enviada em": "sent", "enviado em": "sent", "enviada": "sent", "fecha": "sent",
	"inviato": "sent", "data": "sent", "verzonden": "sent", "wysłano": "sent", "wysłane": "sent",
	"data wysłania": "sent",
	"送信日時":          "sent", "日付": "sent", "送信日": "sent", "日時": "sent", "发送时间": "sent", "发送日期": "sent",
	"日期": "sent", "时间": "sent", "寄件日期": "sent", "傳送時間": "sent", "date d'envoi": "sent", "gesendet am": "sent",

	"to": "to", "an": "to", "à": "to", "para": "to", "a": "to", "aan": "to", "do": "to", "宛先": "to", "收件人": "to",
	"收件者": "to", "empfänger": "to", "destinataire": "to",

	"subject": "subject", "betreff": "subject", "objet": "subject", "asunto": "subject", "oggetto": "subject",
	"onderwerp": "subject", "temat": "subject", "assunto": "subject", "件名": "subject", "主题": "subject",
	"主旨": "subject", "標題": "subject", "sujet": "subject",

	"cc": "cc", "kopie": "cc", "dw": "cc", "抄送": "cc", "副本": "cc", "copie": "cc", "copia": "cc", "cópia": "cc",
	"reply-to": "cc", "antwort an": "cc", "importance": "cc", "wichtigkeit": "cc",
}

// label returns the meaning of a line such as "From: Anna", or an empty string.
func label(line string) string {
	line = strings.TrimLeft(strings.TrimSpace(strings.Map(visible, line)), "*_ ")
	const longest = 40 // bytes
	head := line[:min(longest, len(line))]
	at := strings.IndexAny(head, ":：")
	if at <= 0 {
		return ""
	}
	return labels[strings.ToLower(strings.Trim(head[:at], "*_ \u00a0"))]
}

// headerBlock reports whether the header of a quoted e-mail begins at line i.
func headerBlock(lines []string, i int) bool {
	marked := lines[i] == markBorder || isRule(lines[i])
	if marked {
		i = nextText(lines, i+1)
	}
	if i >= len(lines) || label(lines[i]) != "from" && label(lines[i]) != "sent" {
		return false
	}
	found, address := readLabels(lines[i:])
	// People also write "From: Berlin, To: Hamburg, Date: 3 May".
	if !found["from"] || !found["sent"] && !found["subject"] {
		return false
	}
	if address || marked {
		return len(found) >= 3
	}
	return found["sent"] && found["to"] && found["subject"]
}

// readLabels returns which labels the lines at the beginning of a text have, and whether they contain an address.
func readLabels(lines []string) (found map[string]bool, address bool) {
	const maxLines, maxOther = 14, 2
	found = map[string]bool{}
	other := 0 // lines in a row that have no label, such as a long list of recipients
	for at, end := 0, min(len(lines), maxLines); at < end && other <= maxOther; at++ {
		kind, next := label(lines[at]), nextText(lines, at)
		if next == at {
			address = address || strings.Contains(lines[at], "@")
		}
		switch {
		case kind != "" && !found[kind]:
			found[kind] = true
			other = 0
		case next == at:
			other++
		case next > at+1 || next == len(lines) || label(lines[next]) == "": // the empty line below the header
			return found, address
		}
	}
	return found, address
}

// isRule reports whether a line is only drawn.
func isRule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 5 && strings.Trim(line, "_-=*—–") == ""
}

var programLines = regexp.MustCompile(`(?i)^(` +
	`(sent|gesendet|envoyée?|enviad[oa]|inviat[oa]|verzonden|verstuurd|wysłan[eoy]) ` +
	`(from|via|with|using|by|von|mit|über|aus|de|depuis|à partir|avec|desde|do|da|dal|dalla|a partir|con|com|` +
	`tramite|vanaf|vanuit|met|z|ze|za pomocą|przez)\b.*` + devices + `|` +
	`(von|vom) mein\S* .*` + devices + `.* (gesendet|geschickt)|` +
	`(diese nachricht wurde|ce message a été|este mensaje|questo messaggio|dit bericht|ta wiadomość|esta mensagem)` +
	` .*` + devices + `.*` +
	`).{0,80}$`)

const devices = `(iphone|ipad|android|galaxy|samsung|huawei|xiaomi|redmi|pixel|nokia|blackberry|outlook|yahoo|gmx|` +
	`web\.de|proton|mail|mobil|smartphone|handy|telef|phone|téléph|celular|móvil|cellulare|tablet|` +
	`thunderbird|windows)`

var asianProgramLines = regexp.MustCompile(`(?i)^.{0,30}から送信(されました)?。?$|^(发自|發自|来自|從我的|从我的|傳送自).{0,40}$`)

// outlookForPhone matches the advertisement "Get Outlook for Android" in all languages.
var outlookForPhone = regexp.MustCompile(`(?i)^.{0,40}outlook\b.{0,30}\b(ios|android|mac)\b.{0,60}$`)

// isProgramLine reports whether the last line of a text was added by a mail program.
func isProgramLine(line string) bool {
	line = strings.TrimSpace(strings.Map(visible, line))
	if line == "" || utf8.RuneCountInString(line) > 160 {
		return false
	}
	return isRule(line) || programLines.MatchString(line) || asianProgramLines.MatchString(line) ||
		outlookForPhone.MatchString(line)
}
