package itemcsv

import (
	"cmp"
	"errors"
	"io"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/stay"
)

// guestHeadings are the headings of guest lists in ten languages, by field and normalised by key.
var guestHeadings = map[string]string{
	"room": "room roomno roomnumber roomname unit zimmer zimmernummer zimmernr chambre numérodechambre nchambre " +
		"habitación nºhabitación númerodehabitación camera stanza numerocamera kamer kamernummer quarto " +
		"númerodoquarto pokój nrpokoju numerpokoju 部屋 部屋番号 客室 客室番号 房间 房号 房间号",
	"arrival": "arrival arrivaldate checkin checkindate from anreise anreisedatum ankunft von arrivée " +
		"datedarrivée dated'arrivée llegada fechadellegada entrada fechadeentrada arrivo datadiarrivo dataarrivo " +
		"aankomst aankomstdatum chegada datadechegada przyjazd dataprzyjazdu 到着日 チェックイン チェックイン日 入住 入住日期 到店日期",
	"departure": "departure departuredate checkout checkoutdate to until abreise abreisedatum bis départ " +
		"datededépart salida fechadesalida partenza datadipartenza datapartenza vertrek vertrekdatum partida saída " +
		"datadepartida datadesaída wyjazd datawyjazdu 出発日 チェックアウト チェックアウト日 退房 退房日期 离店 离店日期",
	"name": "name guest guestname fullname gast gastname vollständigername vorundnachname nomcomplet client " +
		"huésped nombrecompleto nombreyapellidos ospite nomecompleto nomeecognome naamgast volledigenaam hóspede " +
		"nomecompletodohóspede gość imięinazwisko 氏名 お客様名 宿泊者名 姓名 客人 客人姓名",
	"firstName": "firstname givenname vorname prénom nombre nome voornaam imię primeironome 名",
	"lastName": "lastname surname familyname nachname familienname nom nomdefamille apellido apellidos cognome " +
		"achternaam apelido sobrenome nazwisko 姓",
	"email": "email emailaddress mail emailadresse courriel adresseemail adressemail correo correoelectrónico " +
		"indirizzoemail emailadres endereçodeemail adresemail メール メールアドレス 电子邮件 邮箱 电邮",
	"phone": "phone phonenumber mobile telephone telefon telefonnummer handy mobil téléphone portable teléfono " +
		"móvil telefono cellulare telefoon telefoonnummer mobiel telefone telemóvel celular numertelefonu komórka " +
		"電話 電話番号 电话 手机 手机号",
	"language": "language lang sprache langue idioma lingua taal língua język 言語 语言",
}

// guestFields lists the fields of a guest list, as users see them in an error.
var guestFields = []string{
	"room", "arrival", "departure", "name", "firstName", "lastName", "email", "phone", "language",
}

// GuestList is what was read from a guest list.
type GuestList struct {
	Stays   []stay.Stay
	Skipped int      // rows without a room, a departure or a way to reach the guest
	Unknown []string // headings that are not known
}

// ReadGuests reads a guest list. It recognises the columns by their headings. A guest without an address, or a row
// without a room or a day of departure, is skipped. country is that of the location, for national phone numbers. If
// there is no day of arrival, that of departure counts.
func ReadGuests(content []byte, country string, today time.Time) (GuestList, error) {
	var l GuestList
	r, headings, err := open(content)
	if err != nil {
		return l, err
	}
	fields, err := guestColumns(headings, &l)
	if err != nil {
		return l, err
	}
	rows, err := readGuestRows(r, fields)
	if err != nil {
		return l, err
	}
	order := guestDateOrder(rows)
	for _, cells := range rows {
		if s, ok := guestStay(cells, country, order, today); ok {
			l.Stays = append(l.Stays, s)
		} else {
			l.Skipped++
		}
	}
	if len(l.Stays) == 0 {
		return l, refuse("no-guests",
			"must have at least one row with a room, a date of departure, and an e-mail address or phone number")
	}
	return l, nil
}

// guestColumns returns the field of each column, or "".
func guestColumns(headings []string, l *GuestList) ([]string, error) {
	known := map[string]string{}
	for _, field := range guestFields {
		for word := range strings.FieldsSeq(guestHeadings[field]) {
			known[key(word)] = cmp.Or(known[key(word)], field)
		}
	}
	fields, seen := make([]string, len(headings)), map[string]bool{}
	for n, heading := range headings {
		heading = strings.TrimSpace(unguard(heading))
		field := known[key(heading)]
		switch {
		case field != "" && !seen[field]:
			fields[n], seen[field] = field, true
		case heading != "":
			l.Unknown = append(l.Unknown, lost.Shorten(heading, lost.MaxShort))
		}
	}
	for _, field := range []string{"room", "departure"} {
		if !seen[field] {
			return nil, refuse("no-"+field, "must have a column with the heading %s in the first line", field)
		}
	}
	if !seen["email"] && !seen["phone"] {
		return nil, refuse("no-address", "must have a column with the heading email or phone in the first line")
	}
	return fields, nil
}

// readGuestRows returns the cells of each row that is not empty, by field.
func readGuestRows(r *Reader, fields []string) (rows []map[string]string, err error) {
	for {
		cells, err := r.csv.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, r.broken(err)
		}
		row := map[string]string{}
		for n, text := range cells {
			if text = strings.TrimSpace(unguard(text)); n < len(fields) && fields[n] != "" && text != "" {
				row[fields[n]] = text
			}
		}
		if len(row) == 0 {
			continue
		}
		if rows = append(rows, row); len(rows) > stay.MaxListRows {
			return nil, refuse("too-many-rows", "must have at most %d rows; split it into several files",
				stay.MaxListRows)
		}
	}
}

// guestDateOrder finds out in which order the dates are written. Without a date that shows it, the day is first.
func guestDateOrder(rows []map[string]string) lost.DateOrder {
	var d Dates
	for _, row := range rows {
		for _, field := range []string{"arrival", "departure"} {
			first, second, _, point, ok := numberedDate(clock.ReplaceAllString(row[field], ""))
			if ok && !point {
				d.dayFirst, d.monthFirst = d.dayFirst || digits(first) > 12, d.monthFirst || digits(second) > 12
			}
		}
	}
	return cmp.Or(d.Order(), lost.DayFirst)
}

// guestStay returns the stay of a row. It returns false if the row cannot be used.
func guestStay(cells map[string]string, country string, order lost.DateOrder, today time.Time) (stay.Stay, bool) {
	names := map[string]string{firstName: cells["firstName"], lastName: cells["lastName"]}
	if cells["name"] != "" {
		setName(names, cells["name"])
	}
	guest := stay.Guest{
		FirstName: names[firstName], LastName: names[lastName], Email: cells["email"], Phone: cells["phone"],
		Language: cells["language"],
	}.Clean(country)
	s := stay.Stay{Room: cells["room"], Guest: guest}
	latest := today.Year() + 1
	date := func(text string) string {
		text = strings.TrimSuffix(text, "Z")
		day, _ := ParseDate(clock.ReplaceAllString(text, ""), order, latest)
		return day
	}
	s.Departure = date(cells["departure"])
	s.Arrival = cmp.Or(date(cells["arrival"]), s.Departure)
	ok := stay.RoomKey(s.Room) != "" && len([]rune(s.Room)) <= stay.MaxRoom && s.Departure != "" && s.Arrival <= s.Departure &&
		guest.Reachable()
	return s, ok
}
