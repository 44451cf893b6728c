package i18n

import "testing"

func TestARichTextEscapesAllButItsElements(t *testing.T) {
	link := Element{Open: `<a href="/x">`, Close: "</a>"}
	for entry, want := range map[string]string{
		`"{link}Open {name}{end} & read"`:                      `<a href="/x">Open &lt;b&gt;</a> &amp; read`,
		`"{strong}{em}a{end} b{end} c{end}"`:                   "<strong><em>a</em> b</strong> c",
		`"{em}never closed {link}at all"`:                      `<em>never closed <a href="/x">at all</a></em>`,
		`"{unseen} {name}{end} {code}a{end}"`:                  `<span class="unseen"> &lt;b&gt;</span> <code>a</code>`,
		`"{mark}{name}{end}"`:                                  `<span class="code">&lt;b&gt;</span>`,
		`"{end}{name}"`:                                        "&lt;b&gt;",
		`{"one": "{n} {em}x{end}", "other": "{n} {em}y{end}"}`: "1,000 <em>y</em>",
	} {
		l := counting(t, "en", "en", entry)
		if got := l.Rich("guest.days", "link", link, "name", "<b>", "n", 1000); got != want {
			t.Errorf("%s: got %s, want %s", entry, got, want)
		}
	}
}
