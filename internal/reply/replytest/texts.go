package replytest

// language has the words of one language: what people write, and what their mail programs add.
type language struct {
	code, desk, re, subject  string
	first, last              []string
	answers, questions       [][]string
	closings, charsets       []string
	gmail, apple, thunder    string // attributions: {d} date, {t} time, {n} name, {a} address
	yahoo                    string
	from, sent, to, about    string // labels of Outlook
	original                 string // above a quoted e-mail
	iphone, outlookApp, away string
	android                  string
}

var languages = []language{
	{
		code: "en", desk: "Hotel Adler", re: "Re:", subject: "A question about your umbrella",
		first: []string{"Anna", "Peter"}, last: []string{"O'Neill", "Smith"},
		answers: [][]string{
			{"Yes, that is mine.", "The handle has a small scratch near the end."},
			{"Thank you so much!", "", "I can come on Friday at 15:30, is that all right?",
				"My phone number is +44 20 7946 0018."},
			{"I travelled from London to York on 3 May. From the photo I would say it is not mine: mine is dark blue " +
				"and has a zip."},
		},
		questions: [][]string{{"What colour is the lining?", "Is there a name inside?"},
			{"When would you like to collect it?"}},
		closings: []string{"Kind regards,", "Best wishes"},
		charsets: []string{"us-ascii", "iso-8859-1", "windows-1252"},
		gmail:    "On Mon, {d} at {t}, {n} <{a}> wrote:", apple: "On {d}, at {t}, {n} <{a}> wrote:",
		thunder: "On {d} {t}, {n} wrote:", yahoo: "On Monday, {d} at {t}:05 GMT+1, {n} <{a}> wrote:",
		from: "From", sent: "Sent", to: "To", about: "Subject", original: "Original Message",
		iphone: "Sent from my iPhone", outlookApp: "Get Outlook for iOS<https://aka.ms/o0ukef>",
		away: "Automatic reply:", android: "Sent from my Galaxy",
	},
	{
		code: "de", desk: "Hotel Adler", re: "AW:", subject: "Eine Frage zu Ihrem Schirm",
		first: []string{"Jürgen", "Käthe"}, last: []string{"Müller", "Groß"},
		answers: [][]string{
			{"Ja, das ist meine Tasche.", "Innen ist ein roter Stoff mit weißen Punkten."},
			{"Vielen Dank für die schnelle Antwort!", "", "Ich fuhr am 3. Mai von Köln nach Münster, Wagen 7."},
			{"Nein, leider nicht. Meiner ist größer und hat einen Griff aus Holz.", "Bitte suchen Sie weiter."},
		},
		questions: [][]string{{"Welche Farbe hat das Futter?"}, {"Wann möchten Sie ihn abholen?",
			"Wir haben bis 18 Uhr geöffnet."}},
		closings: []string{"Mit freundlichen Grüßen", "Viele Grüße"},
		charsets: []string{"iso-8859-1", "iso-8859-15", "windows-1252"},
		gmail:    "Am Mo., {d} um {t} Uhr schrieb {n} <{a}>:", apple: "Am {d} um {t} schrieb {n} <{a}>:",
		thunder: "Am {d} um {t} schrieb {n}:", yahoo: "Am Montag, {d} um {t}:05 MEZ hat {n} <{a}> Folgendes " +
			"geschrieben:",
		from: "Von", sent: "Gesendet", to: "An", about: "Betreff", original: "Ursprüngliche Nachricht",
		iphone: "Von meinem iPhone gesendet", outlookApp: "Outlook für Android beziehen<https://aka.ms/AAb9ysg>",
		away: "Automatische Antwort:", android: "Gesendet von meinem Samsung Galaxy Smartphone",
	},
	{
		code: "fr", desk: "Hôtel Adler", re: "RE :", subject: "Une question sur votre parapluie",
		first: []string{"Hélène", "François"}, last: []string{"Lefèvre", "Noël"},
		answers: [][]string{
			{"Oui, c'est bien le mien.", "La doublure est rouge et il manque un bouton."},
			{"Merci beaucoup !", "", "Je passerai samedi à 10 h, cela vous convient-il ?"},
		},
		questions: [][]string{{"De quelle couleur est la doublure ?"}, {"Quand souhaitez-vous venir le chercher ?"}},
		closings:  []string{"Cordialement,", "Bien à vous"},
		charsets:  []string{"iso-8859-1", "windows-1252"},
		gmail:     "Le lun. {d} à {t}, {n} <{a}> a écrit :", apple: "Le {d} à {t}, {n} <{a}> a écrit :",
		thunder: "Le {d} à {t}, {n} a écrit :", yahoo: "Le lundi {d} à {t}:05 UTC+1, {n} <{a}> a écrit :",
		from: "De", sent: "Envoyé", to: "À", about: "Objet", original: "Message d'origine",
		iphone: "Envoyé de mon iPhone", outlookApp: "Obtenir Outlook pour iOS<https://aka.ms/o0ukef>",
		away: "Réponse automatique :", android: "Envoyé depuis mon appareil Galaxy",
	},
	{
		code: "es", desk: "Hotel Águila", re: "RE:", subject: "Una pregunta sobre su paraguas",
		first: []string{"José", "Begoña"}, last: []string{"Muñoz", "García"},
		answers: [][]string{
			{"Sí, es mía.", "Tiene una etiqueta con mi nombre en el bolsillo pequeño."},
			{"¡Muchas gracias!", "", "¿Puedo recogerla el viernes a las 15:30?"},
		},
		questions: [][]string{{"¿De qué color es el forro?"}, {"¿Cuándo desea recogerlo?"}},
		closings:  []string{"Un saludo,", "Atentamente"},
		charsets:  []string{"iso-8859-1", "windows-1252"},
		gmail:     "El lun, {d} a las {t}, {n} (<{a}>) escribió:", apple: "El {d}, a las {t}, {n} <{a}> escribió:",
		thunder: "El {d} a las {t}, {n} escribió:", yahoo: "En lunes, {d}, {t}:05 CET, {n} <{a}> escribió:",
		from: "De", sent: "Enviado el", to: "Para", about: "Asunto", original: "Mensaje original",
		iphone: "Enviado desde mi iPhone", outlookApp: "Obtener Outlook para Android<https://aka.ms/AAb9ysg>",
		away: "Respuesta automática:", android: "Enviado desde mi Xiaomi",
	},
	{
		code: "it", desk: "Albergo Aquila", re: "R:", subject: "Una domanda sul suo ombrello",
		first: []string{"Niccolò", "Giulia"}, last: []string{"Rossi", "D'Angelo"},
		answers: [][]string{
			{"Sì, è proprio la mia.", "Dentro c'è un mazzo di chiavi con un nastro verde."},
			{"Grazie mille!", "", "Posso passare venerdì alle 15:30?"},
		},
		questions: [][]string{{"Di che colore è la fodera?"}, {"Quando desidera ritirarlo?"}},
		closings:  []string{"Cordiali saluti", "Un caro saluto,"},
		charsets:  []string{"iso-8859-1", "windows-1252"},
		gmail:     "Il giorno lun {d} alle ore {t} {n} <{a}> ha scritto:",
		apple:     "Il giorno {d}, alle ore {t}, {n} <{a}> ha scritto:",
		thunder:   "Il {d} {t}, {n} ha scritto:", yahoo: "Il lunedì {d} alle ore {t}:05 CET, {n} <{a}> ha scritto:",
		from: "Da", sent: "Inviato", to: "A", about: "Oggetto", original: "Messaggio originale",
		iphone: "Inviato da iPhone", outlookApp: "Ottieni Outlook per iOS<https://aka.ms/o0ukef>",
		away: "Risposta automatica:", android: "Inviato dal mio telefono Huawei",
	},
	{
		code: "nl", desk: "Hotel Adelaar", re: "Antw:", subject: "Een vraag over uw paraplu",
		first: []string{"Zoë", "Joris"}, last: []string{"de Vries", "van den Berg"},
		answers: [][]string{
			{"Ja, dat is mijn tas.", "Er zit een blauwe agenda in."},
			{"Heel erg bedankt!", "", "Kan ik vrijdag om 15.30 uur langskomen?"},
		},
		questions: [][]string{{"Welke kleur heeft de voering?"}, {"Wanneer wilt u hem ophalen?"}},
		closings:  []string{"Met vriendelijke groet,", "Groetjes"},
		charsets:  []string{"iso-8859-1", "iso-8859-15", "windows-1252"},
		gmail:     "Op ma {d} om {t} schreef {n} <{a}>:",
		apple:     "Op {d}, om {t} heeft {n} <{a}> het volgende geschreven:",
		thunder:   "Op {d} om {t} schreef {n}:", yahoo: "Op maandag {d} om {t}:05 CET schreef {n} <{a}>:",
		from: "Van", sent: "Verzonden", to: "Aan", about: "Onderwerp", original: "Oorspronkelijk bericht",
		iphone: "Verstuurd vanaf mijn iPhone", outlookApp: "Outlook voor iOS downloaden<https://aka.ms/o0ukef>",
		away: "Automatisch antwoord:", android: "Verzonden vanaf mijn Galaxy",
	},
	{
		code: "pl", desk: "Hotel Orzeł", re: "Odp:", subject: "Pytanie o parasol",
		first: []string{"Łukasz", "Małgorzata"}, last: []string{"Wiśniewski", "Żak"},
		answers: [][]string{
			{"Tak, to moja torba.", "W środku są klucze z zieloną wstążką."},
			{"Bardzo dziękuję!", "", "Czy mogę przyjść w piątek o 15:30?"},
		},
		questions: [][]string{{"Jakiego koloru jest podszewka?"}, {"Kiedy chce Pani ją odebrać?"}},
		closings:  []string{"Pozdrawiam", "Z poważaniem,"},
		charsets:  []string{"iso-8859-2", "windows-1250"},
		gmail:     "pon., {d} o {t} {n} <{a}> napisał(a):",
		apple:     "Wiadomość napisana przez {n} <{a}> w dniu {d}, o godz. {t}:",
		thunder:   "W dniu {d} o {t}, {n} pisze:", yahoo: "W dniu poniedziałek, {d} {t}:05 CET użytkownik {n} <{a}> " +
			"napisał:",
		from: "Od", sent: "Wysłano", to: "Do", about: "Temat", original: "Wiadomość oryginalna",
		iphone: "Wysłane z iPhone'a", outlookApp: "Pobierz aplikację Outlook dla systemu " +
			"Android<https://aka.ms/AAb9ysg>",
		away: "Odpowiedź automatyczna:", android: "Wysłane z telefonu Samsung",
	},
	{
		code: "pt", desk: "Hotel Águia", re: "RES:", subject: "Uma pergunta sobre o guarda-chuva",
		first: []string{"João", "Inês"}, last: []string{"Gonçalves", "Conceição"},
		answers: [][]string{
			{"Sim, é a minha mala.", "Lá dentro há um livro com uma dedicatória."},
			{"Muito obrigada!", "", "Posso passar na sexta-feira às 15h30?"},
		},
		questions: [][]string{{"De que cor é o forro?"}, {"Quando deseja levantá-lo?"}},
		closings:  []string{"Com os melhores cumprimentos,", "Um abraço"},
		charsets:  []string{"iso-8859-1", "windows-1252"},
		gmail:     "Em seg., {d} às {t}, {n} <{a}> escreveu:", apple: "No dia {d}, às {t}, {n} <{a}> escreveu:",
		thunder: "Em {d} {t}, {n} escreveu:", yahoo: "Em segunda-feira, {d} às {t}:05 WET, {n} <{a}> escreveu:",
		from: "De", sent: "Enviada em", to: "Para", about: "Assunto", original: "Mensagem original",
		iphone: "Enviado do meu iPhone", outlookApp: "Obter o Outlook para Android<https://aka.ms/AAb9ysg>",
		away: "Resposta automática:", android: "Enviado do meu telemóvel",
	},
	{
		code: "ja", desk: "ホテルアドラー", re: "Re:", subject: "傘についてのご質問",
		first: []string{"由紀", "健太"}, last: []string{"田中", "佐藤"},
		answers: [][]string{
			{"はい、私の鞄です。", "内ポケットに青い手帳が入っています。"},
			{"ご連絡ありがとうございます。", "", "金曜日の15時30分に伺ってもよろしいでしょうか。"},
		},
		questions: [][]string{{"裏地は何色ですか。"}, {"いつ受け取りにいらっしゃいますか。"}},
		closings:  []string{"よろしくお願いいたします。"},
		charsets:  []string{"iso-2022-jp", "shift_jis", "euc-jp"},
		gmail:     "{d}(月) {t} {n} <{a}>:", apple: "{d} {t}、{n} <{a}>のメール:",
		thunder: "On {d} {t}, {n} wrote:", yahoo: "{d} {t}、{n} <{a}> が書きました:",
		from: "差出人", sent: "送信日時", to: "宛先", about: "件名", original: "元のメッセージ",
		iphone: "iPhoneから送信", outlookApp: "Outlook for iOS を入手<https://aka.ms/o0ukef>",
		away: "自動応答:", android: "Galaxyから送信",
	},
	{
		code: "zh", desk: "雄鹰酒店", re: "回复：", subject: "关于您的雨伞",
		first: []string{"伟", "静"}, last: []string{"王", "李"},
		answers: [][]string{
			{"是的，这是我的包。", "里面有一本蓝色的笔记本。"},
			{"非常感谢！", "", "我星期五下午三点半来取，可以吗？"},
		},
		questions: [][]string{{"里衬是什么颜色的？"}, {"您想什么时候来取？"}},
		closings:  []string{"此致敬礼"},
		charsets:  []string{"gb18030", "gb2312", "gbk"},
		gmail:     "{n} <{a}> 于{d}周一 {t}写道：", apple: "{d} {t}，{n} <{a}> 写道：",
		thunder: "在 {d} {t}, {n} 写道:", yahoo: "在 {d} 星期一 {t}:05 [GMT+8]， {n}<{a}> 写道：",
		from: "发件人", sent: "发送时间", to: "收件人", about: "主题", original: "原始邮件",
		iphone: "发自我的 iPhone", outlookApp: "获取 Outlook for iOS<https://aka.ms/o0ukef>",
		away: "自动答复:", android: "发自我的华为手机",
	},
}

// dates are the layouts of dates in attributions.
var dates = map[string][]string{
	"en": {"Jan 2, 2006", "2 Jan 2006", "1/2/06"},
	"de": {"2. Jan. 2006", "02.01.2006", "2. Dezember 2006"},
	"fr": {"2 janv. 2006", "02/01/2006"},
	"es": {"2 ene 2006", "2/1/06"},
	"it": {"2 gen 2006", "02/01/06"},
	"nl": {"2 jan 2006", "02-01-2006"},
	"pl": {"2 sty 2006", "2.01.2006"},
	"pt": {"2 de jan. de 2006", "02/01/2006"},
	"ja": {"2006年1月2日", "2006/01/02"},
	"zh": {"2006年1月2日", "2006/1/2"},
}
