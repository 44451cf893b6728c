package storage

import (
	"net/http"
	"net/url"
	"strconv"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func countPath(c lost.StockTake) string { return frame.LocationPath(c.LocationID, "/counts/"+c.ID) }

// countTitle returns the name of the place that is counted.
func countTitle(lang frame.Locale, c lost.StockTake) string {
	if c.Whole {
		return "The whole location"
	}
	return lang.PlaceTitle(c.Place)
}

type countsPage struct {
	frame.Page
	At       string
	List     []countRow
	Pager    frame.Pager
	CanCount bool
}

// countRow is a stock count in the list.
type countRow struct {
	lost.StockTake
	Path, What, When string
}

// listCounts lists a location's stock counts.
func (c *call) listCounts() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	p := countsPage{
		Page: c.storageChildPage("Stock counts"), At: frame.LocationPath(l.ID, ""), CanCount: c.May(lost.HandleItems),
	}
	list, err := c.Services.Counts.List(c.Context(), c.Actor(), l.ID, c.PageFromQuery(frame.TableLimit))
	if err != nil {
		return err
	}
	for _, count := range list.Data {
		p.List = append(p.List,
			countRow{count, countPath(count), countTitle(c.Locale, count), c.Moment(count.CreatedAt, l.Zone())})
	}
	p.Pager = frame.NewPager(list, c.Request.URL, "Back", "More")
	return c.Render(http.StatusOK, "counts", p)
}

// beginCount starts a stock count of a place or the whole location, or continues an open one.
func (c *call) beginCount() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	count, err := c.Services.Counts.Begin(c.Context(), c.Actor(), l.ID, values.Get("place"), values.Get("whole") != "")
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
	Count                    lost.StockTake
	Path, What, Begun, Ended string
	Scanner                  scanner
	Last                     *scanResult
	Missing                  []countLine // not found yet
	Misplaced, Departed      []countLine // found, but expected elsewhere or recorded as gone
	MisplacedNote            string      // how many misplaced items are listed, if not all are
	DepartedNote             string
	Pager                    frame.Pager
	CanCount                 bool
}

// scanResult is the result of the last scan.
type scanResult struct {
	lost.StockTakeLine
	Again, Good bool
	Text        string
}

// countLine is an item that is not where it should be.
type countLine struct {
	lost.StockTakeLine
	Path, Note string
	Correct    bool // the recorded place can be corrected
}

func (c *call) showCount() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	return c.showCountOf(l, nil, nil)
}

// showCountOf renders a stock count with the result or error of the last scan.
func (c *call) showCountOf(l lost.Location, last *scanResult, wrong error) error {
	count, err := c.Services.Counts.Get(c.Context(), c.Actor(), l.ID, c.Request.PathValue("count"))
	if err != nil {
		return err
	}
	p := c.countPage(l, count, "scan.js")
	p.Last = last
	p.Scanner = scanner{
		Action: p.Path, Read: frame.LocationPath(l.ID, "/scan/read"), Label: "Reference or code of the item",
		Hint: "Scan every item you see here, even if it belongs to another place.",
	}
	if err := c.fillLines(&p, count); err != nil {
		return err
	}
	status, err := scanFault(c.Writer, &p.Scanner, wrong)
	if err != nil {
		return err
	}
	return c.Render(status, "count", p)
}

// countPage prepares a page about a stock count.
func (c *call) countPage(l lost.Location, count lost.StockTake, scripts ...string) countPage {
	clock := l.Zone()
	return countPage{
		Page: c.storageChildPage(countTitle(c.Locale, count), scripts...), Count: count, Path: countPath(count),
		What:  countTitle(c.Locale, count),
		Begun: c.Moment(count.CreatedAt, clock), Ended: c.Moment(count.ClosedAt, clock),
		CanCount: c.May(lost.HandleItems) && count.Open(),
	}
}

// askCloseCount shows which items will be marked as missing when a stock count is closed. If the count is already
// closed, it redirects to the result.
func (c *call) askCloseCount() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	count, err := c.Services.Counts.Get(c.Context(), c.Actor(), l.ID, c.Request.PathValue("count"))
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

// fillMissing adds one page of the missing items to p.
func (c *call) fillMissing(p *countPage, count lost.StockTake) error {
	missing, err := c.Services.Counts.Lines(c.Context(), c.Actor(), count.LocationID, count.ID,
		[]lost.Finding{lost.Awaited, lost.Absent, lost.Left}, c.PageFromQuery(frame.TableLimit))
	if err != nil {
		return err
	}
	p.Missing = countLines(c.Locale, count, missing.Data)
	p.Pager = frame.NewPager(missing, c.Request.URL, "Back", "More")
	return nil
}

// fillLines adds the items that are not where they should be: one page of the missing items, and the latest of the
// misplaced and departed items.
func (c *call) fillLines(p *countPage, count lost.StockTake) error {
	if err := c.fillMissing(p, count); err != nil {
		return err
	}
	first := lost.Page{Number: 1, Limit: lost.MaxLimit}
	misplaced, err := c.Services.Counts.Lines(c.Context(), c.Actor(), count.LocationID, count.ID,
		[]lost.Finding{lost.Elsewhere, lost.Corrected}, first)
	if err != nil {
		return err
	}
	departed, err := c.Services.Counts.Lines(c.Context(), c.Actor(), count.LocationID, count.ID,
		[]lost.Finding{lost.NotInStock},
		first)
	p.Misplaced, p.Departed = countLines(c.Locale, count, misplaced.Data), countLines(c.Locale, count, departed.Data)
	p.MisplacedNote, p.DepartedNote = shownText(misplaced), shownText(departed)
	return err
}

// shownText says how many lines of a list are shown. It is empty if all are shown.
func shownText(l lost.List[lost.StockTakeLine]) string {
	if !l.More() {
		return ""
	}
	of := frame.Thousands(l.Count)
	if l.AtLeast {
		of += " or more"
	}
	return "Only " + frame.Thousands(len(l.Data)) + " of " + of + " are shown."
}

// countLines prepares lines of a stock count for the page.
func countLines(lang frame.Locale, count lost.StockTake, lines []lost.StockTakeLine) []countLine {
	shown := make([]countLine, 0, len(lines))
	for _, line := range lines {
		s := countLine{StockTakeLine: line, Note: countNote(lang, count, line)}
		s.Description = lost.Shorten(line.Description, 80)
		if line.LocationID != "" {
			s.Path = frame.LocationPath(line.LocationID, "/items/"+line.ItemID)
		}
		s.Correct = count.Open() && !count.Whole && line.Finding == lost.Elsewhere &&
			line.LocationID == count.LocationID
		shown = append(shown, s)
	}
	return shown
}

// countNote describes where an item is recorded, or what happened to it.
func countNote(lang frame.Locale, count lost.StockTake, line lost.StockTakeLine) string {
	switch {
	case line.LocationID == "":
		return "Since deleted"
	case line.Finding == lost.Corrected:
		return "Place corrected"
	case line.Finding == lost.Left, line.Finding == lost.Awaited && count.FindingIfUnseen(line) == lost.Left:
		return "Since moved or handed out"
	case line.LocationID != count.LocationID:
		return "From another location"
	case line.Finding == lost.Elsewhere:
		return "Expected: " + lang.PlaceTitle(line.KeptAt)
	case count.Whole:
		return lang.PlaceTitle(line.KeptAt)
	default:
		return ""
	}
}

// scanCounted records that an item was found during a stock count.
func (c *call) scanCounted() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values, err := c.scan()
	if values == nil {
		return err
	}
	var line lost.StockTakeLine
	var again bool
	if err == nil {
		line, again, err = c.Services.Counts.RecordScan(c.Context(), c.Actor(), l.ID, c.Request.PathValue("count"),
			values.Get("code"))
	}
	if err != nil {
		return c.showCountOf(l, nil, err)
	}
	return c.showCountOf(l,
		&scanResult{StockTakeLine: line, Again: again, Good: line.Finding == lost.Seen,
			Text: scanText(c.Locale, line, again)},
		nil)
}

// scanText describes the result of a scan.
func scanText(lang frame.Locale, line lost.StockTakeLine, again bool) string {
	switch {
	case again:
		return "Already counted."
	case line.Finding == lost.Elsewhere && line.Held:
		return "Found, but expected elsewhere: " + lang.PlaceTitle(line.KeptAt) + "."
	case line.Finding == lost.NotInStock:
		return "Found, but recorded as gone. Put it aside and open it to see its history."
	default:
		return "Found."
	}
}

// correctCount changes the recorded place of an item that was found here.
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
	i, err := c.Services.Counts.CorrectPlace(c.Context(), c.Actor(), l.ID, count, values.Get("item"))
	if err != nil {
		return err
	}
	c.Flash(i.Reference + " is now stored here.")
	return c.Redirect(frame.LocationPath(l.ID, "/counts/"+count))
}

// closeCount closes a stock count.
func (c *call) closeCount() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	count, err := c.Services.Counts.Close(c.Context(), c.Actor(), l.ID, c.Request.PathValue("count"))
	if err != nil {
		return err
	}
	c.Flash("Closed: " + strconv.Itoa(count.Totals.Found) + " found, " + strconv.Itoa(count.Totals.Missing) +
		" missing.")
	return c.Redirect(countPath(count))
}

// discardCount deletes a stock count that was started by mistake.
func (c *call) discardCount() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	if err := c.Services.Counts.Delete(c.Context(), c.Actor(), l.ID, c.Request.PathValue("count")); err != nil {
		return err
	}
	c.Flash("The count was discarded. Nothing else was changed.")
	return c.Redirect(frame.LocationPath(l.ID, "/counts"))
}

// printCount sends the result of a stock count as a PDF.
func (c *call) printCount() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	content, err := c.Services.Counts.Report(c.Context(), c.Actor(), l.ID, c.Request.PathValue("count"))
	if err != nil {
		return err
	}
	return c.WritePDF("stock-take-"+l.Permalink+".pdf", content)
}
