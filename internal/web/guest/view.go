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
	"homeward/internal/web/respond"
)

// page holds the data that every page needs.
type page struct {
	*i18n.Language
	Title         string
	Style, Script string
	Icon          string
	Place         *place // nil if no location is known
	Privacy       lost.PrivacyNotice
	Collects      bool // the page has a form for data about the visitor, which shows the privacy notice
	Menu          []languageLink
	Embedded      bool
	Problems      []problem // the errors of a form that is shown again
	Notice        string
	Good          bool // the notice reports success
	Conversation  *conversation
	Refresh       string // the address that the browser opens immediately; usually empty
}

// languageLink is an entry in the language menu.
type languageLink struct {
	Tag, Name, Href string
	Current         bool
}

// postOnly lists the last segments of paths that accept only POST. The language menu cannot link to them.
var postOnly = []string{"details", "found", "messages", "renew", "tracker"}

// page returns the common part of a page, in the visitor's language.
func (c *call) page(title string) page {
	c.rememberLanguage()
	p := page{
		Language: c.language(), Title: title, Embedded: c.embedded(),
		Style: c.assets.Path("look.css"), Script: c.assets.Path("guest.js"), Icon: c.assets.Path("icon.svg"),
	}
	if p.Embedded {
		c.w.Header().Set("X-Robots-Tag", "noindex")
	}
	if c.place != nil {
		p.Place, p.Privacy = showPlace(p.Language, *c.place), c.privacy
	}
	at := ""
	if c.r.Method == http.MethodPost && c.token != "" && slices.Contains(postOnly, path.Base(c.r.URL.Path)) {
		at = c.home()
	}
	for _, tag := range i18n.Tags() {
		query := c.r.URL.Query()
		query.Set("lang", tag)
		p.Menu = append(p.Menu, languageLink{
			Tag: tag, Name: i18n.Name(tag), Href: at + "?" + query.Encode(), Current: tag == p.Tag(),
		})
	}
	return p
}

// Head returns the title of the browser tab: the page's title, the location's name and, if the form has errors, a
// note about them.
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

// Current returns the name of the page's language.
func (p page) Current() string { return i18n.Name(p.Tag()) }

// place is the public part of a location.
type place struct {
	Name, Path, Logo, Description, Website string
	Address                                []string
	Contact                                lost.Contact
	Zone                                   string
}

// Reachable reports whether the location has an e-mail address or a phone number.
func (p place) Reachable() bool { return p.Contact.Email != "" || p.Contact.Phone != "" }

func showPlace(l *i18n.Language, from lost.Location) *place {
	p := &place{
		Name: from.Name, Path: "/l/" + url.PathEscape(from.Permalink), Description: from.Description,
		Website: from.Website, Contact: from.Contact, Zone: strings.ReplaceAll(cmp.Or(from.TimeZone, "UTC"), "_", " "),
	}
	p.Address = l.Address(i18n.Address{
		Line1: from.Address1, Line2: from.Address2, City: from.City, State: from.State, ZipCode: from.ZipCode,
		Country: from.Country,
	})
	if from.LogoFile != "" {
		p.Logo = filePath(from.LogoFile)
	}
	return p
}

func filePath(name string) string { return respond.FilePath(name) }

// addressLines formats the address of a parcel.
func addressLines(l *i18n.Language, r lost.Recipient) []string {
	return l.Address(i18n.Address{
		Name: r.Name, Company: r.Company, Line1: r.Address1, Line2: r.Address2,
		City: r.City, State: r.State, ZipCode: r.ZipCode, Country: r.Country,
	})
}

// thing holds the details of an item that its owner or claimant may see. Staff notes are not among them.
type thing struct {
	Reference, Description, Traits string
	FoundAt, FoundOn, Until        string
	LostAt, LostOn, Proof          string
	Photo                          *photo
	More                           []photo
	PhotoURL                       string // the URL of a photo on another site; the page links to it but never loads it
	OwnWords                       bool   // the visitor wrote the description, which may be long
}

// Facts reports whether there are details to list below the description.
func (t thing) Facts() bool { return t.FoundAt+t.FoundOn+t.Until+t.LostAt+t.LostOn+t.Proof != "" }

// photo is a photo stored by the service.
type photo struct {
	Small, Full   string
	Set           string // the sizes that browsers can choose from, for srcset
	Width, Height int
}

func showThing(l *i18n.Language, i lost.Item) thing {
	t := thing{
		Reference: i.Reference, Description: i.Description, Traits: i18n.Join(" · ", i.Brand, i.Model, i.Color),
		FoundAt: i.DiscoveryPlace, LostAt: i.Claim.LostPlace, Proof: i.Claim.Proof, PhotoURL: i.ImageURL,
		OwnWords: i.Source == lost.Request,
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
	if i.Source == lost.Found && i.Category.IsIdentity() { // the photo could be used to claim that it is theirs
		t.PhotoURL = ""
		return t
	}
	for n, image := range i.Images {
		p := photo{
			Small: respond.SmallImage(image, lost.ThumbnailSide), Set: respond.SrcSet(image, lost.ThumbnailSide),
			Full: filePath(image.File),
		}
		p.Width, p.Height = fit(image.Width, image.Height)
		if n == 0 {
			t.Photo = &p
			continue
		}
		if len(t.More) < maxMore {
			t.More = append(t.More, p)
		}
	}
	return t
}

// maxMore is the largest number of photos shown in addition to the first.
const maxMore = 5

// fit returns the size at which a photo is shown: no wider than the page, and low enough that the question below it
// stays visible.
func fit(width, height int) (w, h int) {
	const maxWidth, maxHeight = 640, 440
	if width <= 0 || height <= 0 {
		return maxWidth, maxHeight
	}
	scale := min(float64(maxWidth)/float64(width), float64(maxHeight)/float64(height), 1)
	return max(1, int(float64(width)*scale+0.5)), max(1, int(float64(height)*scale+0.5))
}
