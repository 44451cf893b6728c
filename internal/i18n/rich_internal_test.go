package i18n

import "testing"

func TestARichTextEscapesAllButItsElements(t *testing.T) {
	link := Element{Open: `<a href="/x">`, Close: "</a>"}
	for entry, want := range map[string]string{
		`"{link}Open {name}{end} & read"`:    `<a href="/x">Open &lt;b&gt;</a> &amp; read`,
		`"{strong}{em}a{end} b{end} c{end}"`: "<strong><em>a</em> b</strong> c",
		`"{em}never closed {link}at all"`:    `<em>never closed <a href="/x">at all</a></em>`,
		`"{end}{name}"`:                      "&lt;b&gt;",
		`"{unseen}{mark}{name}{end}{end}"`: `<span class="unseen"><span class="code">` +
			"&lt;b&gt;</span></span>",
		`"{unseen} {name}{end} {code}a{end}"`:                  `<span class="unseen"> &lt;b&gt;</span> <code>a</code>`,
		`{"one": "{n} {em}x{end}", "other": "{n} {em}y{end}"}`: "1,000 <em>y</em>",
	} {
		l := counting(t, "en", "en", entry)
		if got := l.Rich("guest.days", "link", link, "name", "<b>", "n", 1000); got != want {
			t.Errorf("%s: got %s, want %s", entry, got, want)
		}
	}
}
