package bulk

import (
	"maps"
	"slices"
	"strings"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/web/staff/frame"
)

// heading returns the heading of a column in an exported file, in the user's language.
func heading(lang frame.Locale, column string) string {
	if key := "bulk.column." + column; lang.Has(key) {
		return lang.Say(key)
	}
	return lang.FieldLabel(column)
}

// headings returns the headings of an exported file in the order of its columns.
func headings(lang frame.Locale) (all []string) {
	for _, column := range desk.ItemColumns() {
		all = append(all, heading(lang, column))
	}
	return all
}

// knownHeadings returns the fields of headings in all languages of the dashboard. If a heading means different fields in
// two languages, the language counts in which more headings of the file are known.
func knownHeadings(file []string) map[string]string {
	known := map[string]string{}
	for field, words := range headingWords {
		for word := range strings.FieldsSeq(words) {
			known[word] = field
		}
	}
	var languages []map[string]string
	for _, tag := range i18n.Tags() {
		lang, words := frame.Locale{Language: i18n.Choose(tag)}, map[string]string{}
		for _, column := range desk.ItemColumns() {
			words[heading(lang, column)] = column
		}
		languages = append(languages, words)
	}
	matches := func(words map[string]string) (n int) {
		for _, h := range file {
			if _, known := words[h]; known {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(languages, func(a, b map[string]string) int { return matches(a) - matches(b) })
	for _, words := range languages {
		maps.Copy(known, words)
	}
	return known
}

// headingWords are headings that other programs and people use, by field, without spaces. The service knows the
// English ones.
var headingWords = map[string]string{
	"description": "gegenstand bezeichnung beschreibung fundsache artikel fundstück objeto artículo descripción objet " +
		"désignation oggetto descrizione articolo voorwerp omschrijving beschrijving przedmiot opis rzecz item " +
		"objetoencontrado descrição 品名 物品 品目 拾得物 説明 物品名称 描述 名称",
	"brand":  "marke hersteller marca marque marchio merk marka ブランド メーカー 品牌",
	"model":  "modell modelo modèle modello model モデル 型番 型号",
	"color":  "farbe color couleur colore kleur kolor barwa cor 色 颜色",
	"notes":  "notiz notizen bemerkung bemerkungen notas observaciones remarques note opmerkingen uwagi observações 備考 メモ 备注",
	"status": "zustand estado statut état stato stan situação ステータス 状態 状态",
	"discoveryPlace": "fundort fundstelle zimmer raum lugar habitación sala lieu lieudedécouverte chambre luogo camera " +
		"stanza vindplaats plaats kamer miejsce miejsceznalezienia pokój local quarto 発見場所 場所 部屋 拾得場所 拾获地点 地点 房间",
	"discoveryDate": "funddatum fundtag gefundenam datum fecha fechadehallazgo datededécouverte trouvéle data " +
		"datadiritrovamento vinddatum gevondenop dataznalezienia datadoencontro 発見日 日付 拾得日 拾获日期 日期",
	"storagePlace": "lagerort lagerplatz regal fach almacén estante rangement étagère magazzino scaffale opslagplaats " +
		"plank magazyn półka armazenamento prateleira 保管場所 棚 存放位置 货架",
	"owner.firstName": "vorname nombre prénom nome voornaam imię primeironome 名 名字",
	"owner.lastName": "nachname familienname gast gastname eigentümer apellido apellidos huésped propietario nom " +
		"nomdefamille client propriétaire cognome ospite proprietario achternaam eigenaar gasten nazwisko gość " +
		"właściciel sobrenome hóspede dono 姓 氏名 お客様名 持ち主 姓氏 客人 失主",
	"owner.email": "emailadresse correo correoelectrónico courriel adressemail postaelettronica emailadres " +
		"adresemail メール メールアドレス 电子邮件 邮箱",
	"owner.phone": "telefon telefonnummer handy teléfono móvil téléphone portable telefono cellulare telefoon " +
		"telefoonnummer komórka telefone celular 電話 電話番号 电话 手机",
	"language":  "sprache idioma langue lingua taal język 言語 语言",
	"reference": "referenz nummer referencia référence riferimento referentie numer referência 受付番号 番号 编号",
	"trackingNumber": "sendungsnummer númerodeseguimiento numérodesuivi numeroditracciamento trackingnummer " +
		"numerprzesyłki númeroderastreio 追跡番号 运单号",
	"shipping.weight": "gewicht peso poids waga 重さ 重量",
}
