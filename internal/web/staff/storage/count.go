package storage

import (
	"net/http"
	"net/url"
	"strconv"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func countPath(c lost.Count) string { return frame.LocationPath(c.LocationID, "/counts/"+c.ID) }

// countTitle says what is counted.
func countTitle(c lost.Count) string {
	if c.Whole {
		return "The whole location"
	}
	return frame.PlaceTitle(c.Place)
}

type countsPage struct {
	frame.Page
	At       string
	List     []countRow
	Pager    frame.Pager
	CanCount bool
}

// countRow is a count in the list of them.
type countRow struct {
	lost.Count
	Path, What, When string
}

// listCounts lists a location's counts.
func (c *call) listCounts() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	p := countsPage{Page: c.storageChildPage("Stock-takes"), At: frame.LocationPath(l.ID, ""), CanCount: c.May(lost.Handle)}
	list, err := c.Desk.Counts(c.Context(), c.Actor(), l.ID, c.PageFromQuery(frame.TableLimit))
	if err != nil {
		return err
	}
	for _, count := range list.Data {
		p.List = append(p.List, countRow{count, countPath(count), countTitle(count), frame.Moment(count.CreatedAt, l.Zone())})
	}
	p.Pager = frame.NewPager(list, c.Request.URL, "Back", "More")
	return c.Render(http.StatusOK, "counts", p)
}

// beginCount begins to count a place, or the whole location, or goes on with it.
func (c *call) beginCount() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	count, err := c.Desk.BeginCount(c.Context(), c.Actor(), l.ID, values.Get("place"), values.Get("whole") != "")
	if lost.CodeOf(err) == lost.Conflict {
		return c.showScan(l, url.Values{"mode": {scanCount}}, err)
	}
	if err != nil {
		return err
	}
	return c.Redirect(countPath(count))
}

type countPage struct {
	frame.Page
	Count                    lost.Count
	Path, What, Begun, Ended string
	Scanner                  scanner
	Last                     *scanResult
	Awaited, Strays, Gone    []countLine
	StraysOf, GoneOf         string // how many there are, where not all are listed
	Pager                    frame.Pager
	CanCount                 bool
}

// scanResult is what the last code meant.
type scanResult struct {
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
	l, err := c.Location()
	if err != nil {
		return err
	}
	return c.showCountOf(l, nil, nil)
}

// showCountOf shows a count with what the last code meant, or why it meant nothing.
func (c *call) showCountOf(l lost.Location, last *scanResult, wrong error) error {
	count, err := c.Desk.Count(c.Context(), c.Actor(), l.ID, c.Request.PathValue("count"))
	if err != nil {
		return err
	}
	p := c.countPage(l, count, "scan.js")
	p.Last = last
	p.Scanner = scanner{Action: p.Path, Read: frame.LocationPath(l.ID, "/scan/read"), Label: "Reference or code of the item", Hint: "Scan every item that you see here, whatever place it belongs to."}
	if err := c.fillLines(&p, count); err != nil {
		return err
	}
	status, err := scanFault(c.Writer, &p.Scanner, wrong)
	if err != nil {
		return err
	}
	return c.Render(status, "count", p)
}

// countPage begins a page of a count.
func (c *call) countPage(l lost.Location, count lost.Count, scripts ...string) countPage {
	clock := l.Zone()
	return countPage{
		Page: c.storageChildPage(countTitle(count), scripts...), Count: count, Path: countPath(count), What: countTitle(count),
		Begun: frame.Moment(count.CreatedAt, clock), Ended: frame.Moment(count.ClosedAt, clock), CanCount: c.May(lost.Handle) && count.Open(),
	}
}

// askCloseCount shows what will be missing by a count, and what becomes of that, before it is closed. Of one that is closed it shows what came of it.
func (c *call) askCloseCount() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	count, err := c.Desk.Count(c.Context(), c.Actor(), l.ID, c.Request.PathValue("count"))
	if err != nil {
		return err
	}
	if !count.Open() {
		return c.Redirect(countPath(count))
	}
	p := c.countPage(l, count)
	if err := c.fillMissing(&p, count); err != nil {
		return err
	}
	return c.Render(http.StatusOK, "count-close", p)
}

// fillMissing lists what is missing, a page at a time.
func (c *call) fillMissing(p *countPage, count lost.Count) error {
	awaited, err := c.Desk.CountLines(c.Context(), c.Actor(), count.LocationID, count.ID, []lost.Finding{lost.Awaited, lost.Absent, lost.Left}, c.PageFromQuery(frame.TableLimit))
	if err != nil {
		return err
	}
	p.Awaited, p.Pager = countLines(count, awaited.Data), frame.NewPager(awaited, c.Request.URL, "Back", "More")
	return nil
}

// fillLines lists what is not where it should be: what is missing a page at a time, of the rest the last ones.
func (c *call) fillLines(p *countPage, count lost.Count) error {
	if err := c.fillMissing(p, count); err != nil {
		return err
	}
	some := lost.Page{Number: 1, Limit: lost.MaxLimit}
	strays, err := c.Desk.CountLines(c.Context(), c.Actor(), count.LocationID, count.ID, []lost.Finding{lost.Elsewhere, lost.Corrected}, some)
	if err != nil {
		return err
	}
	gone, err := c.Desk.CountLines(c.Context(), c.Actor(), count.LocationID, count.ID, []lost.Finding{lost.Departed}, some)
	p.Strays, p.Gone = countLines(count, strays.Data), countLines(count, gone.Data)
	p.StraysOf, p.GoneOf = partOf(strays), partOf(gone)
	return err
}

// partOf says how much of a list is shown; nothing where that is all of it.
func partOf(l lost.List[lost.CountLine]) string {
	if !l.More() {
		return ""
	}
	of := frame.Thousands(l.Count)
	if l.AtLeast {
		of += " or more"
	}
	return "Only " + frame.Thousands(len(l.Data)) + " of " + of + " are shown."
}

// countLines prepares lines to be shown.
func countLines(count lost.Count, lines []lost.CountLine) []countLine {
	shown := make([]countLine, 0, len(lines))
	for _, line := range lines {
		s := countLine{CountLine: line, Note: countNote(count, line)}
		s.Description = lost.Shorten(line.Description, 80)
		if line.LocationID != "" {
			s.Path = frame.LocationPath(line.LocationID, "/items/"+line.ItemID)
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
		return "Expected: " + frame.PlaceTitle(line.KeptAt)
	case count.Whole:
		return frame.PlaceTitle(line.KeptAt)
	default:
		return ""
	}
}

// scanCounted notes that an item was seen.
func (c *call) scanCounted() error {
	l, err := c.Location()
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
		line, again, err = c.Desk.Tick(c.Context(), c.Actor(), l.ID, c.Request.PathValue("count"), values.Get("code"))
	}
	if err != nil {
		return c.showCountOf(l, nil, err)
	}
	return c.showCountOf(l, &scanResult{CountLine: line, Again: again, Good: line.Finding == lost.Seen, Text: scanText(line, again)}, nil)
}

// scanText says what it means that an item was seen.
func scanText(line lost.CountLine, again bool) string {
	switch {
	case again:
		return "Counted already."
	case line.Finding == lost.Elsewhere && line.Held:
		return "Found, but expected elsewhere: " + frame.PlaceTitle(line.KeptAt) + "."
	case line.Finding == lost.Departed:
		return "Found, but gone by the books. Put it aside and open it to see what happened."
	default:
		return "Found."
	}
}

// correctCount puts the books right for an item that was found here.
func (c *call) correctCount() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	count := c.Request.PathValue("count")
	i, err := c.Desk.CorrectPlace(c.Context(), c.Actor(), l.ID, count, values.Get("item"))
	if err != nil {
		return err
	}
	c.Flash(i.Reference + " is kept here now.")
	return c.Redirect(frame.LocationPath(l.ID, "/counts/"+count))
}

// closeCount ends a count.
func (c *call) closeCount() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	count, err := c.Desk.CloseCount(c.Context(), c.Actor(), l.ID, c.Request.PathValue("count"))
	if err != nil {
		return err
	}
	c.Flash("Closed: " + strconv.Itoa(count.Tally.Found) + " found, " + strconv.Itoa(count.Tally.Missing) + " missing.")
	return c.Redirect(countPath(count))
}

// discardCount forgets a count that was begun by mistake.
func (c *call) discardCount() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	if err := c.Desk.DropCount(c.Context(), c.Actor(), l.ID, c.Request.PathValue("count")); err != nil {
		return err
	}
	c.Flash("The count is discarded. Nothing else has changed.")
	return c.Redirect(frame.LocationPath(l.ID, "/counts"))
}

// printCount answers with a PDF of what a count came to.
func (c *call) printCount() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	content, err := c.Desk.CountReport(c.Context(), c.Actor(), l.ID, c.Request.PathValue("count"))
	if err != nil {
		return err
	}
	return c.WritePDF("stock-take-"+l.Permalink+".pdf", content)
}
