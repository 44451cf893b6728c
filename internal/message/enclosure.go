package message

import (
	"mime"
	"net/textproto"
	"slices"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"homeward/internal/lost"
)

// What a mail carries at most: beyond it, servers refuse the whole.
const (
	maxEnclosed  = 5
	maxEnclosing = 10 << 20 // bytes
)

// sealed is a letter as it is sent: a paper that nobody has fetched is none.
func sealed(l lost.Letter) lost.Letter {
	l.Enclosed = slices.Clone(l.Enclosed)
	for n := range l.Enclosed {
		if len(l.Enclosed[n].Content) == 0 {
			l.Enclosed[n].File = ""
		}
	}
	return l
}

// enclosed gives the papers that go with a letter, with names that are fit for a file, and tells whether that is all of them. What is
// too much is left out: the letter is more than its papers. A letter that is only shown names papers that nobody has fetched.
func enclosed(l lost.Letter) (papers []lost.Enclosure, whole bool) {
	if l.Channel != lost.ByEmail {
		return nil, len(l.Enclosed) == 0
	}
	left := maxEnclosing
	for _, paper := range l.Enclosed {
		size := len(paper.Content)
		if there := size > 0 || paper.File != ""; there && size <= left && len(papers) < maxEnclosed {
			left -= size
			paper.Name = fileName(paper.Name)
			papers = append(papers, paper)
		}
	}
	return papers, len(papers) == len(l.Enclosed)
}

func names(papers []lost.Enclosure) []string {
	all := make([]string, len(papers))
	for n, paper := range papers {
		all[n] = paper.Name
	}
	return all
}

// apart replaces what separates folders, and what some system does not have in the name of a file.
var apart = strings.NewReplacer("/", "-", `\`, "-", ":", "-", "*", "-", "?", "-", `"`, "'", "<", "-", ">", "-", "|", "-")

// fileName makes a name under which every system keeps a PDF.
func fileName(name string) string {
	const ending = ".pdf"
	name = strings.Trim(strings.TrimSuffix(line(apart.Replace(name), maxPaper), ending), " .")
	if name == "" {
		name = "document"
	}
	return name + ending
}

// asPDF heads a paper. Names of any script are written as RFC 2231 has it, which the mail library does not do.
func asPDF(name string) gomail.FileOption {
	return func(f *gomail.File) {
		f.Header = textproto.MIMEHeader{
			"Content-Type":        {mime.FormatMediaType("application/pdf", map[string]string{"name": name})},
			"Content-Disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": name})},
		}
	}
}
