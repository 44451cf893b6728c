package guest

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// page is what every page has.
type page struct {
	*i18n.Language
	Title         string
	Style, Script string
	Icon          string
	Place         *place // nil where no location is known
	Menu          []tongue
	Embedded      bool
	Problems      []problem // with a form that is shown again
	Notice        string
	Good          bool   // what the notice tells is good news
	Refresh       string // where the browser goes next, at once; it stays where that is empty
}

// tongue is a language to choose.
type tongue struct {
	Tag, Name, Href string
	Current         bool
}

// tongues are the names of the languages, each in itself: whoever looks for one can read it.
var tongues = map[string]string{
	"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "it": "Italiano",
	"pt": "Português", "nl": "Nederlands", "pl": "Polski", "ja": "日本語", "zh": "简体中文",
}

// onlySent are the ends of addresses that cannot be opened again in another language: a form was sent there.
var onlySent = []string{"details", "found", "renew"}

// page begins a page, in the reader's language.
func (c *call) page(title string) page {
	c.remember()
	p := page{
		Language: c.language(), Title: title, Embedded: c.embedded(),
		Style: c.assets.Path("look.css"), Script: c.assets.Path("guest.js"), Icon: c.assets.Path("icon.svg"),
	}
	if p.Embedded {
		c.w.Header().Set("X-Robots-Tag", "noindex")
	}
	if c.place != nil {
		p.Place = showPlace(p.Language, *c.place)
	}
	at := ""
	if c.r.Method == http.MethodPost && c.token != "" && slices.Contains(onlySent, path.Base(c.r.URL.Path)) {
		at = c.home()
	}
	for _, tag := range i18n.Tags() {
		query := c.r.URL.Query()
		query.Set("lang", tag)
		p.Menu = append(p.Menu, tongue{Tag: tag, Name: cmp.Or(tongues[tag], tag), Href: at + "?" + query.Encode(), Current: tag == p.Tag()})
	}
	return p
}

// Head is the title with what tells it from others in a row of tabs.
func (p page) Head() string {
	head := p.Title
	if p.Place != nil && !strings.Contains(head, p.Place.Name) {
		head += " · " + p.Place.Name
	}
	if len(p.Problems) > 0 {
		head = p.Say("error.summary.title") + " · " + head
	}
	return head
}

// Current names the language of the page.
func (p page) Current() string { return cmp.Or(tongues[p.Tag()], p.Tag()) }

// place is a location as everybody may see it.
type place struct {
	Name, Path, Logo, Description, Website string
	Address                                []string
	Contact                                lost.Contact
	Zone                                   string
}

// Reachable tells whether anything is said about how to reach somebody there.
func (p place) Reachable() bool { return p.Contact.Email != "" || p.Contact.Phone != "" }

func showPlace(l *i18n.Language, from lost.Location) *place {
	p := &place{
		Name: from.Name, Path: "/l/" + url.PathEscape(from.Permalink), Description: from.Description, Website: from.Website,
		Contact: from.Contact, Zone: strings.ReplaceAll(cmp.Or(from.TimeZone, "UTC"), "_", " "),
	}
	p.Address = l.Address(i18n.Address{
		Line1: from.Address1, Line2: from.Address2, City: from.City, State: from.State, ZipCode: from.ZipCode, Country: from.Country,
	})
	if from.LogoFile != "" {
		p.Logo = filePath(from.LogoFile)
	}
	return p
}

func filePath(name string) string { return "/files/" + url.PathEscape(name) }

// addressLines writes the address of a parcel.
func addressLines(l *i18n.Language, r lost.Recipient) []string {
	return l.Address(i18n.Address{
		Name: r.Name, Company: r.Company, Line1: r.Address1, Line2: r.Address2, City: r.City, State: r.State, ZipCode: r.ZipCode, Country: r.Country,
	})
}

// thing is an item as its owner, or whoever reported it, may see it: nothing of the desk's own.
type thing struct {
	Reference, Description, Traits string
	FoundAt, FoundOn, Until        string
	LostAt, LostOn, Proof          string
	Photo                          *photo
	More                           []photo
	PhotoURL                       string // somebody else's address: it is linked to, never loaded
	Told                           bool   // the description is the reader's own words, and may be long
}

// Facts tells whether there is more to say than what it is.
func (t thing) Facts() bool { return t.FoundAt+t.FoundOn+t.Until+t.LostAt+t.LostOn+t.Proof != "" }

// photo is a picture of ours.
type photo struct {
	Small, Full   string
	Width, Height int
}

func showThing(l *i18n.Language, i lost.Item) thing {
	t := thing{
		Reference: i.Reference, Description: i.Description, Traits: i18n.Join(" · ", i.Brand, i.Model, i.Color),
		FoundAt: i.DiscoveryPlace, LostAt: i.Claim.LostPlace, Proof: i.Claim.Proof, PhotoURL: i.ImageURL, Told: i.Source == lost.Request,
	}
	if i.DiscoveryDate != "" {
		t.FoundOn = l.Date(i.DiscoveryDate)
	}
	if i.Claim.LostDate != "" {
		t.LostOn = l.Date(i.Claim.LostDate)
	}
	if until := i.StoreUntil(); until != "" && i.Source == lost.Found {
		t.Until = l.Date(until)
	}
	for n, image := range i.Images {
		p := photo{Small: filePath(cmp.Or(image.Thumbnail, image.File)), Full: filePath(image.File)}
		p.Width, p.Height = fit(image.Width, image.Height)
		if n == 0 {
			t.Photo = &p
			continue
		}
		if t.More = append(t.More, p); len(t.More) == mostMore {
			break
		}
	}
	return t
}

const mostMore = 5 // photos beside the first

// fit gives the size in which a photo is shown: as wide as the page or as high as leaves room for the question, in its own shape.
func fit(width, height int) (w, h int) {
	const most, highest = 640, 440
	if width <= 0 || height <= 0 {
		return most, highest
	}
	scale := min(float64(most)/float64(width), float64(highest)/float64(height), 1)
	return max(1, int(float64(width)*scale+0.5)), max(1, int(float64(height)*scale+0.5))
}
