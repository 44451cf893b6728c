package itemcsv

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// valueTexts contains the catalog keys of the values that a file for people has in their language, by column.
var valueTexts = map[string]map[string]string{
	"status": {
		string(lost.Pending): "frame.status.pending", string(lost.InfoCompleted): "frame.status.address",
		string(lost.FeePaid): "frame.status.paid", string(lost.Shipped): "frame.status.shipped",
		string(lost.Delivered): "frame.status.delivered", string(lost.Discard): "frame.status.left",
		string(lost.PickUp): "frame.status.pickup", string(lost.Donate): "frame.status.donated",
	},
	"source": {string(lost.Found): "bulk.source.found", string(lost.Request): "bulk.source.request"},
	"destination": {
		string(lost.Donated): "frame.destination.donated", string(lost.Police): "frame.destination.police",
		string(lost.Discarded): "frame.destination.discarded", string(lost.ToAuthority): "frame.destination.authority",
		string(lost.Auctioned): "frame.destination.auctioned", string(lost.ToFinder): "frame.destination.finder",
		string(lost.ToIssuer): "frame.destination.issuer",
	},
	"category": categoryTexts(),
	"request.state": {
		string(lost.RequestPending): "frame.request.open", string(lost.RequestMatched): "frame.request.found",
		string(lost.RequestRejected):  "frame.request.not-found",
		string(lost.RequestWithdrawn): "frame.request.withdrawn",
	},
}

// categoryTexts returns the catalog keys of the categories.
func categoryTexts() map[string]string {
	keys := map[string]string{}
	for _, c := range lost.Categories() {
		keys[string(c)] = "common.category." + string(c)
	}
	return keys
}

// alternatives matches what separates the words in names of categories, such as Bag or backpack.
var alternatives = regexp.MustCompile(` (?:or|oder|ou|o|of|lub) |, |[・或]`)

// addAlternatives adds the single words of the names of categories, which people write in files.
func addAlternatives(known map[string]string) {
	for _, c := range lost.Categories() {
		for _, tag := range i18n.Tags() {
			for _, name := range alternatives.Split(i18n.Choose(tag).Say("common.category."+string(c)), -1) {
				if _, taken := known[key(name)]; !taken {
					known[key(name)] = string(c)
				}
			}
		}
	}
}

// codes contains the values of a column by their normalised texts in all languages.
//
//nolint:gochecknoglobals // computed once from fixed lists
var codes = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for column, keys := range valueTexts {
		all[column] = map[string]string{}
		for code, text := range keys {
			for _, tag := range i18n.Tags() {
				all[column][key(i18n.Choose(tag).Say(text))] = code
			}
		}
	}
	addAlternatives(all["category"])
	return all
})

// ValueText returns a value of a column as an export writes it in a language. It returns other values unchanged.
func ValueText(tag, column, value string) string { return valueText(i18n.Choose(tag), column, value) }

func valueText(l *i18n.Language, column, value string) string {
	if key := valueTexts[column][value]; key != "" {
		return l.Say(key)
	}
	return value
}

// months contains the numbers of the months by their names in all languages, in lower case.
//
//nolint:gochecknoglobals // computed once from fixed lists
var months = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, tag := range i18n.Tags() {
		for n := 1; n <= 12; n++ {
			number := strconv.Itoa(n)
			for _, key := range []string{"common.month.", "common.month.short."} {
				all[strings.ToLower(strings.TrimSuffix(i18n.Choose(tag).Say(key+number), "."))] = number
			}
		}
	}
	return all
})

// codeOf returns the API's name of a value that an export wrote in some language. It returns other text unchanged.
func codeOf(column, text string) string {
	if code, known := codes()[column][key(text)]; known {
		return code
	}
	return text
}

// otherHeadings are headings in other languages than English, by field and normalised by key. Only Guess uses them: an
// import that does not ask the user knows only the headings in columns.
var otherHeadings = map[string]string{
	"description": "gegenstand bezeichnung beschreibung fundsache artikel fundstück objeto artículo descripción " +
		"objet désignation oggetto descrizione articolo voorwerp omschrijving beschrijving przedmiot " +
		"opis rzecz item objetoencontrado descrição 品名 物品 品目 拾得物 説明 物品名称 描述 名称",
	"brand": "marke hersteller marca marque marchio merk marka ブランド メーカー 品牌",
	"model": "modell modelo modèle modello model モデル 型番 型号",
	"category": "kategorie art gegenstandsart categoría categoria catégorie categorie soort kategoria rodzaj " +
		"種類 分類 类别 分类",
	"serialNumber": "seriennummer serialnummer gerätenummer numerodeserie númerodeserie numérodesérie " +
		"numerodiserie serienummer numerseryjny númerodesérie シリアル番号 製造番号 序列号",
	"value": "wert schätzwert valor valeur valeurestimée valore waarde geschattewaarde wartość valorestimado " +
		"価格 見積もり額 价值 估价",
	"finder.name": "finder findername abgegebenvon finderin entregadopor remispar consegnatoda vinder " +
		"ingeleverddoor znalazca entreguepor 届出人 拾得者 拾获人 交来者",
	"color": "farbe color couleur colore kleur kolor barwa cor 色 颜色",
	"notes": "notiz notizen bemerkung bemerkungen notas observaciones remarques note opmerkingen uwagi " +
		"observações 備考 メモ 备注",
	"status": "zustand estado statut état stato stan situação ステータス 状態 状态",
	"discoveryPlace": "fundort fundstelle zimmer raum lugar habitación sala lieu lieudedécouverte chambre luogo " +
		"camera stanza vindplaats plaats kamer miejsce miejsceznalezienia pokój local quarto 発見場所 場所 部屋 " +
		"拾得場所 拾获地点 地点 房间",
	"discoveryDate": "funddatum fundtag gefundenam datum fecha fechadehallazgo datededécouverte trouvéle data " +
		"datadiritrovamento vinddatum gevondenop dataznalezienia datadoencontro 発見日 日付 拾得日 拾获日期 日期",
	"storagePlace": "aufbewahrungsort lagerort lagerplatz " +
		"regal fach almacén estante rangement étagère magazzino scaffale " +
		"opslagplaats plank magazyn półka armazenamento prateleira 保管場所 棚 存放位置 货架",
	"owner.firstName": "vorname nombre prénom nome voornaam imię primeironome 名 名字",
	"owner.lastName": "nachname familienname verlierer " +
		"gast gastname eigentümer apellido apellidos huésped propietario nom " +
		"nomdefamille client propriétaire cognome ospite proprietario achternaam eigenaar gasten " +
		"nazwisko gość właściciel sobrenome hóspede dono 姓 お客様名 持ち主 姓氏 客人 失主",
	"owner.fullName": "fullname guestfullname ownerfullname vollständigername vorundnachname nombrecompleto " +
		"nombreyapellidos nomcomplet nometprénom prénometnom nomecompleto nomeecognome volledigenaam imięinazwisko " +
		"氏名 姓名",
	"owner.email": "emailadresse correo correoelectrónico courriel adressemail postaelettronica emailadres " +
		"adresemail メール メールアドレス 电子邮件 邮箱",
	"owner.phone": "telefon telefonnummer handy teléfono móvil téléphone portable telefono cellulare telefoon " +
		"telefoonnummer komórka telefone celular 電話 電話番号 电话 手机",
	"language":  "sprache idioma langue lingua taal język 言語 语言",
	"reference": "referenz nummer nr referencia référence riferimento referentie numer referência 受付番号 番号 编号",
	"trackingNumber": "sendungsnummer númerodeseguimiento numérodesuivi numeroditracciamento trackingnummer " +
		"numerprzesyłki númeroderastreio 追跡番号 运单号",
	LocationColumn: "standort filiale niederlassung betrieb haus ubicación sede sucursal establecimiento emplacement " +
		"établissement succursale struttura filiale vestiging locatie filiaal lokalizacja placówka oddział unidade " +
		"filial estabelecimento 拠点 施設 店舗 网点 门店 分店",
	"shipping.weight": "gewicht peso poids waga 重さ 重量",
}
