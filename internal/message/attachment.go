package message

import (
	"mime"
	"net/textproto"
	"slices"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"homeward/internal/lost"
)

// Limits of the attachments of one mail: servers refuse larger mails.
const (
	maxAttachments     = 5
	maxAttachmentBytes = 10 << 20
)

// withoutMissing returns a message as it is sent: attachments whose content was not read are
// dropped.
func withoutMissing(l lost.MessageData) lost.MessageData {
	l.Enclosed = slices.Clone(l.Enclosed)
	for n := range l.Enclosed {
		if len(l.Enclosed[n].Content) == 0 {
			l.Enclosed[n].File = ""
		}
	}
	return l
}

// attachments returns the attachments of a message, with safe file names, and reports whether they
// are complete. Attachments over the limit are left out, because the message matters more. A
// message that is only shown lists attachments whose content was not read.
func attachments(l lost.MessageData) (files []lost.Attachment, whole bool) {
	if l.Channel != lost.ByEmail {
		return nil, len(l.Enclosed) == 0
	}
	left := maxAttachmentBytes
	for _, file := range l.Enclosed {
		size := len(file.Content)
		if exists := size > 0 || file.File != ""; exists && size <= left && len(files) < maxAttachments {
			left -= size
			file.Name = fileName(file.Name)
			files = append(files, file)
		}
	}
	return files, len(files) == len(l.Enclosed)
}

func fileNames(files []lost.Attachment) []string {
	all := make([]string, len(files))
	for n, file := range files {
		all[n] = file.Name
	}
	return all
}

// unsafeInNames replaces path separators and other characters that some system does not allow in
// file names.
var unsafeInNames = strings.NewReplacer("/", "-", `\`, "-", ":", "-", "*", "-", "?", "-", `"`, "'", "<", "-", ">", "-",
	"|", "-")

// fileName returns a file name that every system accepts for a PDF.
func fileName(name string) string {
	const ending = ".pdf"
	name = strings.Trim(strings.TrimSuffix(line(unsafeInNames.Replace(name), maxFileName), ending), " .")
	if name == "" {
		name = "document"
	}
	return name + ending
}

// asPDF sets the headers of an attachment. Names in any script are encoded as in RFC 2231, which
// the mail library does not do.
func asPDF(name string) gomail.FileOption {
	return func(f *gomail.File) {
		f.Header = textproto.MIMEHeader{
			"Content-Type":        {mime.FormatMediaType("application/pdf", map[string]string{"name": name})},
			"Content-Disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": name})},
		}
	}
}
