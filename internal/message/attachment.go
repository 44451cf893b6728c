package message

import (
	"mime"
	"net/textproto"
	"slices"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"homeward/internal/lost"
)

// Limits for the attachments of one e-mail. Servers reject larger e-mails.
const (
	maxAttachments     = 5
	maxAttachmentBytes = 10 << 20
)

// withoutMissing returns a copy of a message for sending, without the attachments whose content was not read.
func withoutMissing(l lost.MessageData) lost.MessageData {
	l.Enclosed = slices.Clone(l.Enclosed)
	for n := range l.Enclosed {
		if len(l.Enclosed[n].Content) == 0 {
			l.Enclosed[n].File = ""
		}
	}
	return l
}

// attachments returns the attachments of a message with safe file names, and reports whether none is left out.
// Attachments over the limit are left out, because the message matters more. When a message is only shown, the
// content of attachments has not been read, but they are listed.
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

// unsafeInNames replaces path separators and other characters that some systems do not allow in file names.
var unsafeInNames = strings.NewReplacer("/", "-", `\`, "-", ":", "-", "*", "-", "?", "-", `"`, "'", "<", "-", ">", "-",
	"|", "-")

// fileName returns a PDF file name that every system accepts.
func fileName(name string) string {
	const ending = ".pdf"
	name = strings.Trim(strings.TrimSuffix(line(unsafeInNames.Replace(name), maxFileName), ending), " .")
	if name == "" {
		name = "document"
	}
	return name + ending
}

// asPDF sets the headers of an attachment. It encodes non-ASCII names as specified in RFC 2231, which the mail
// library does not do.
func asPDF(name string) gomail.FileOption {
	return func(f *gomail.File) {
		f.Header = textproto.MIMEHeader{
			"Content-Type":        {mime.FormatMediaType("application/pdf", map[string]string{"name": name})},
			"Content-Disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": name})},
		}
	}
}
