package staff

import (
	"net/http"
	"net/url"
	"strconv"

	"homeward/internal/lost"
)

func countPath(c lost.Count) string { return atPath(c.LocationID, "/counts/"+c.ID) }

// countTitle says what is counted.
func countTitle(c lost.Count) string {
	if c.Whole {
		return "The whole location"
	}
	return placeTitle(c.Place)
}

type countsPage struct {
	page
	At       string
	List     []countRow
	Pager    pager
	CanCount bool
}

// countRow is a count in the list of them.
type countRow struct {
	lost.Count
	Path, What, When string
}

// listCounts lists a location's counts.
func (c *call) listCounts() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	p := countsPage{page: c.shelfPageOf("Stock-takes"), At: atPath(l.ID, ""), CanCount: c.may(lost.Handle)}
	list, err := c.desk.Counts(c.ctx(), c.actor(), l.ID, c.part(tableLimit))
	if err != nil {
		return err
	}
	for _, count := range list.Data {
		p.List = append(p.List, countRow{count, countPath(count), countTitle(count), moment(count.CreatedAt, l.Zone())})
	}
	p.Pager = turn(list, c.r.URL, "Back", "More")
	return c.write(http.StatusOK, "counts", p)
}

// beginCount begins to count a place, or the whole location, or goes on with it.
func (c *call) beginCount() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	values, err := c.form()
	if err != nil {
		return err
	}
	count, err := c.desk.BeginCount(c.ctx(), c.actor(), l.ID, values.Get("place"), values.Get("whole") != "")
	if lost.CodeOf(err) == lost.Conflict {
		return c.showScan(l, url.Values{"mode": {scanCount}}, err)
	}
	if err != nil {
		return err
	}
	return c.see(countPath(count))
}

type countPage struct {
	page
	Count                    lost.Count
	Path, What, Begun, Ended string
	Scanner                  scanner
	Last                     *sighting
	Awaited, Strays, Gone    []countLine
	StraysOf, GoneOf         string // how many there are, where not all are listed
	Pager                    pager
	CanCount                 bool
}

// sighting is what the last code meant.
type sighting struct {
	lost.CountLine
	Again, Good bool
	Text        string
}

// countLine is an item that is not where it should be.
type countLine struct {
	lost.CountLine
	Path, Note string
	Correct    bool // the books can be put right
}

func (c *call) showCount() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	return c.showCountOf(l, nil, nil)
}

// showCountOf shows a count with what the last code meant, or why it meant nothing.
func (c *call) showCountOf(l lost.Location, last *sighting, wrong error) error {
	count, err := c.desk.Count(c.ctx(), c.actor(), l.ID, c.r.PathValue("count"))
	if err != nil {
		return err
	}
	p := c.countPage(l, count, "scan.js")
	p.Last = last
	p.Scanner = scanner{Action: p.Path, Read: atPath(l.ID, "/scan/read"), Label: "Reference or code of the item", Hint: "Scan every item that you see here, whatever place it belongs to."}
	if err := c.fillLines(&p, count); err != nil {
		return err
	}
	status, err := scanFault(c.w, &p.Scanner, wrong)
	if err != nil {
		return err
	}
	return c.write(status, "count", p)
}

// countPage begins a page of a count.
func (c *call) countPage(l lost.Location, count lost.Count, scripts ...string) countPage {
	clock := l.Zone()
	return countPage{
		page: c.shelfPageOf(countTitle(count), scripts...), Count: count, Path: countPath(count), What: countTitle(count),
		Begun: moment(count.CreatedAt, clock), Ended: moment(count.ClosedAt, clock), CanCount: c.may(lost.Handle) && count.Open(),
	}
}

// askCloseCount shows what will be missing by a count, and what becomes of that, before it is closed. Of one that is closed it shows what came of it.
func (c *call) askCloseCount() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	count, err := c.desk.Count(c.ctx(), c.actor(), l.ID, c.r.PathValue("count"))
	if err != nil {
		return err
	}
	if !count.Open() {
		return c.see(countPath(count))
	}
	p := c.countPage(l, count)
	if err := c.fillAwaited(&p, count); err != nil {
		return err
	}
	return c.write(http.StatusOK, "count-close", p)
}

// fillAwaited lists what is missing, a page at a time.
func (c *call) fillAwaited(p *countPage, count lost.Count) error {
	awaited, err := c.desk.CountLines(c.ctx(), c.actor(), count.LocationID, count.ID, []lost.Finding{lost.Awaited, lost.Absent, lost.Left}, c.part(tableLimit))
	if err != nil {
		return err
	}
	p.Awaited, p.Pager = countLines(count, awaited.Data), turn(awaited, c.r.URL, "Back", "More")
	return nil
}

// fillLines lists what is not where it should be: what is missing a page at a time, of the rest the last ones.
func (c *call) fillLines(p *countPage, count lost.Count) error {
	if err := c.fillAwaited(p, count); err != nil {
		return err
	}
	some := lost.Page{Number: 1, Limit: lost.MaxLimit}
	strays, err := c.desk.CountLines(c.ctx(), c.actor(), count.LocationID, count.ID, []lost.Finding{lost.Elsewhere, lost.Corrected}, some)
	if err != nil {
		return err
	}
	gone, err := c.desk.CountLines(c.ctx(), c.actor(), count.LocationID, count.ID, []lost.Finding{lost.Departed}, some)
	p.Strays, p.Gone = countLines(count, strays.Data), countLines(count, gone.Data)
	p.StraysOf, p.GoneOf = partOf(strays), partOf(gone)
	return err
}

// partOf says how much of a list is shown; nothing where that is all of it.
func partOf(l lost.List[lost.CountLine]) string {
	if !l.More() {
		return ""
	}
	of := thousands(l.Count)
	if l.AtLeast {
		of += " or more"
	}
	return "Only " + thousands(len(l.Data)) + " of " + of + " are shown."
}

// countLines prepares lines to be shown.
func countLines(count lost.Count, lines []lost.CountLine) []countLine {
	shown := make([]countLine, 0, len(lines))
	for _, line := range lines {
		s := countLine{CountLine: line, Note: countNote(count, line)}
		s.Description = lost.Shorten(line.Description, 80)
		if line.LocationID != "" {
			s.Path = atPath(line.LocationID, "/items/"+line.ItemID)
		}
		s.Correct = count.Open() && !count.Whole && line.Finding == lost.Elsewhere && line.LocationID == count.LocationID
		shown = append(shown, s)
	}
	return shown
}

// countNote says where the books have an item, or what became of it.
func countNote(count lost.Count, line lost.CountLine) string {
	switch {
	case line.LocationID == "":
		return "Deleted since"
	case line.Finding == lost.Corrected:
		return "Place corrected"
	case line.Finding == lost.Left, line.Finding == lost.Awaited && count.Conclude(line) == lost.Left:
		return "Moved or given away since"
	case line.LocationID != count.LocationID:
		return "Of another location"
	case line.Finding == lost.Elsewhere:
		return "Expected: " + placeTitle(line.KeptAt)
	case count.Whole:
		return placeTitle(line.KeptAt)
	default:
		return ""
	}
}

// tickCount notes that an item was seen.
func (c *call) tickCount() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	values, err := c.scan()
	if values == nil {
		return err
	}
	var line lost.CountLine
	var again bool
	if err == nil {
		line, again, err = c.desk.Tick(c.ctx(), c.actor(), l.ID, c.r.PathValue("count"), values.Get("code"))
	}
	if err != nil {
		return c.showCountOf(l, nil, err)
	}
	return c.showCountOf(l, &sighting{CountLine: line, Again: again, Good: line.Finding == lost.Seen, Text: sightText(line, again)}, nil)
}

// sightText says what it means that an item was seen.
func sightText(line lost.CountLine, again bool) string {
	switch {
	case again:
		return "Counted already."
	case line.Finding == lost.Elsewhere && line.Held:
		return "Found, but expected elsewhere: " + placeTitle(line.KeptAt) + "."
	case line.Finding == lost.Departed:
		return "Found, but gone by the books. Put it aside and open it to see what happened."
	default:
		return "Found."
	}
}

// correctCount puts the books right for an item that was found here.
func (c *call) correctCount() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	values, err := c.form()
	if err != nil {
		return err
	}
	count := c.r.PathValue("count")
	i, err := c.desk.CorrectPlace(c.ctx(), c.actor(), l.ID, count, values.Get("item"))
	if err != nil {
		return err
	}
	c.tell(i.Reference + " is kept here now.")
	return c.see(atPath(l.ID, "/counts/"+count))
}

// closeCount ends a count.
func (c *call) closeCount() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	count, err := c.desk.CloseCount(c.ctx(), c.actor(), l.ID, c.r.PathValue("count"))
	if err != nil {
		return err
	}
	c.tell("Closed: " + strconv.Itoa(count.Tally.Found) + " found, " + strconv.Itoa(count.Tally.Missing) + " missing.")
	return c.see(countPath(count))
}

// dropCount forgets a count that was begun by mistake.
func (c *call) dropCount() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	if err := c.desk.DropCount(c.ctx(), c.actor(), l.ID, c.r.PathValue("count")); err != nil {
		return err
	}
	c.tell("The count is discarded. Nothing else has changed.")
	return c.see(atPath(l.ID, "/counts"))
}

// printCount answers with a PDF of what a count came to.
func (c *call) printCount() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	content, err := c.desk.CountReport(c.ctx(), c.actor(), l.ID, c.r.PathValue("count"))
	if err != nil {
		return err
	}
	return c.pdf("stock-take-"+l.Permalink+".pdf", content)
}
