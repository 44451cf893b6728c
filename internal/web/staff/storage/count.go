package storage

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func countPath(c lost.StockTake) string { return frame.LocationPath(c.LocationID, "/counts/"+c.ID) }

// countTitle returns the name of the place that is counted.
func countTitle(lang frame.Locale, c lost.StockTake) string {
	if c.Whole {
		return lang.Say("storage.whole")
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
func (c *countCall) listCounts() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	p := countsPage{
		Page: newStoragePage(c.Call, c.Say("storage.counts")), At: frame.LocationPath(l.ID, ""),
		CanCount: c.May(lost.HandleItems),
	}
	list, err := c.Services.Counts.List(c.Context(), c.Actor(), l.ID, c.PageFromQuery(frame.TableLimit))
	if err != nil {
		return err
	}
	for _, count := range list.Data {
		when := c.Moment(count.CreatedAt, l.Zone())
		if count.StartedBy != "" {
			when = c.Say("storage.counts.started-by", "time", when, "name", count.StartedBy)
		}
		p.List = append(p.List, countRow{count, countPath(count), countTitle(c.Locale, count), when})
	}
	p.Pager = frame.NewPager(list, c.Request.URL, c.Say("frame.back"), c.Say("frame.more"))
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
	Count               lost.StockTake
	Path, What, Times   string // Times says when the count was started and closed, and by whom
	Ended               bool
	Scanner             scanner
	Last                *scanResult
	Missing             []countLine // not found yet
	Misplaced, Departed []countLine // found, but expected elsewhere or recorded as gone
	MisplacedNote       string      // how many misplaced items are listed, if not all are
	DepartedNote        string
	Pager               frame.Pager
	CanCount            bool
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

func (c *countCall) showCount() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	return c.showCountOf(l, nil, nil)
}

// showCountOf renders a stock count with the result or error of the last scan.
func (c *countCall) showCountOf(l lost.Location, last *scanResult, wrong error) error {
	count, err := c.Services.Counts.Get(c.Context(), c.Actor(), l.ID, c.Request.PathValue("count"))
	if err != nil {
		return err
	}
	p := c.countPage(l, count, "scan.js")
	p.Last = last
	p.Scanner = scanner{
		Action: p.Path, Read: frame.LocationPath(l.ID, "/scan/read"), Label: c.Say("storage.scan.item"),
		Hint: c.Say("storage.scan.item.count"),
	}
	if err := c.fillLines(&p, count); err != nil {
		return err
	}
	status, err := markScanError(c.Call, &p.Scanner, scanCount, wrong)
	if err != nil {
		return err
	}
	return c.Render(status, "count", p)
}

// countPage prepares a page about a stock count.
func (c *countCall) countPage(l lost.Location, count lost.StockTake, scripts ...string) countPage {
	return countPage{
		Page: newStoragePage(c.Call, countTitle(c.Locale, count), scripts...), Count: count, Path: countPath(count),
		What: countTitle(c.Locale, count), Times: countTimes(c.Locale, l, count), Ended: !count.Open(),
		CanCount: c.May(lost.HandleItems) && count.Open(),
	}
}

// countTimes says when a count was started and closed, and by whom.
func countTimes(lang frame.Locale, l lost.Location, count lost.StockTake) string {
	key := "storage.count.started"
	if count.StartedBy != "" {
		key = "storage.count.started-by"
	}
	started := lang.Say(key, "time", lang.Moment(count.CreatedAt, l.Zone()), "name", count.StartedBy)
	if count.Open() {
		return started
	}
	key = "storage.count.closed"
	if count.ClosedBy != "" {
		key = "storage.count.closed-by"
	}
	return lang.Say(key, "started", started, "time", lang.Moment(count.ClosedAt, l.Zone()), "name", count.ClosedBy)
}

// askCloseCount shows which items will be marked as missing when a stock count is closed. If the count is already
// closed, it redirects to the result.
func (c *countCall) askCloseCount() error {
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
func (c *countCall) fillMissing(p *countPage, count lost.StockTake) error {
	missing, err := c.Services.Counts.Lines(c.Context(), c.Actor(), count.LocationID, count.ID,
		[]lost.Finding{lost.Awaited, lost.Absent, lost.Left}, c.PageFromQuery(frame.TableLimit))
	if err != nil {
		return err
	}
	p.Missing = countLines(c.Locale, count, missing.Data)
	p.Pager = frame.NewPager(missing, c.Request.URL, c.Say("frame.back"), c.Say("frame.more"))
	return nil
}

// fillLines adds the items that are not where they should be: one page of the missing items, and the latest of the
// misplaced and departed items.
func (c *countCall) fillLines(p *countPage, count lost.StockTake) error {
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
	p.MisplacedNote, p.DepartedNote = shownText(c.Locale, misplaced), shownText(c.Locale, departed)
	return err
}

// shownText says how many lines of a list are shown. It is empty if all are shown.
func shownText(lang frame.Locale, l lost.List[lost.StockTakeLine]) string {
	if !l.More() {
		return ""
	}
	return lang.Total(l.Total, "storage.count.shown", "storage.count.shown.or-more", "shown", len(l.Data))
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
		return lang.Say("storage.count.note.deleted")
	case line.Finding == lost.Corrected:
		return lang.Say("storage.count.note.corrected")
	case line.Finding == lost.Left, line.Finding == lost.Awaited && count.FindingIfUnseen(line) == lost.Left:
		return lang.Say("storage.count.note.left")
	case line.LocationID != count.LocationID:
		return lang.Say("storage.count.note.other-location")
	case line.Finding == lost.Elsewhere:
		return lang.Say("storage.count.note.expected", "place", lang.PlaceTitle(line.KeptAt))
	case count.Whole:
		return lang.PlaceTitle(line.KeptAt)
	default:
		return ""
	}
}

// scanCounted records that an item was found during a stock count.
func (c *countCall) scanCounted() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values, err := readScan(c.Call)
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
		return lang.Say("storage.count.scan.again")
	case line.Finding == lost.Elsewhere && line.Held:
		return lang.Say("storage.count.scan.elsewhere", "place", lang.PlaceTitle(line.KeptAt))
	case line.Finding == lost.NotInStock:
		return lang.Say("storage.count.scan.gone")
	default:
		return lang.Say("storage.count.scan.found")
	}
}

// correctCount changes the recorded place of an item that was found here.
func (c *countCall) correctCount() error {
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
	c.Flash(c.Say("storage.count.stored-here", "reference", i.Reference))
	return c.Redirect(frame.LocationPath(l.ID, "/counts/"+count))
}

// closeCount closes a stock count.
func (c *countCall) closeCount() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	count, err := c.Services.Counts.Close(c.Context(), c.Actor(), l.ID, c.Request.PathValue("count"))
	if err != nil {
		return err
	}
	c.Flash(c.Say("storage.count.closed.done", "found", count.Totals.Found, "missing", count.Totals.Missing))
	return c.Redirect(countPath(count))
}

// discardCount deletes a stock count that was started by mistake.
func (c *countCall) discardCount() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	if err := c.Services.Counts.Delete(c.Context(), c.Actor(), l.ID, c.Request.PathValue("count")); err != nil {
		return err
	}
	c.Flash(c.Say("storage.count.discarded"))
	return c.Redirect(frame.LocationPath(l.ID, "/counts"))
}

// printCount sends the result of a stock count as a PDF.
func (c *countCall) printCount() error {
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
