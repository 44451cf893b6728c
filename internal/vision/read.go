package vision

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/lost/photo"
	"homeward/internal/openai"
)

// maxAnswer is the maximum length of an answer, in bytes.
const maxAnswer = 16 << 10

// answer is an answer as the schema describes it. Fields are pointers, so that a missing one is noticed.
type answer struct {
	ContainsFace  *bool     `json:"containsFace"`
	IdentityPaper *bool     `json:"identityPaper"`
	Category      *string   `json:"category"`
	Colors        *[]string `json:"colors"`
	Brand         *string   `json:"brand"`
	Model         *string   `json:"model"`
	Text          *string   `json:"text"`
	Description   *string   `json:"description"`
}

// Read reads an answer. A server that ignores the schema may put the object into a block of code, leave out texts or
// write null for them. It must say whether there is a face or an identity paper.
func Read(text string) (photo.Report, error) {
	var report photo.Report
	if len(text) > maxAnswer {
		return report, unreadable("the answer is too long")
	}
	d := json.NewDecoder(strings.NewReader(unwrap(text)))
	var a answer
	if err := d.Decode(&a); err != nil { // the error may quote the answer
		return report, unreadable("the answer is not the JSON of the form")
	}
	if rest, err := io.ReadAll(d.Buffered()); err != nil || len(bytes.TrimSpace(rest)) > 0 || d.More() {
		return report, unreadable("the answer has text after the form")
	}
	if a.ContainsFace == nil || a.IdentityPaper == nil {
		return report, unreadable("the answer does not say whether there is a face or an identity paper")
	}
	report.Face, report.IdentityPaper = *a.ContainsFace, *a.IdentityPaper
	facts := photo.Facts{
		Category: lost.Category(value(a.Category)), Brand: value(a.Brand), Model: value(a.Model), Text: value(a.Text),
		Description: value(a.Description),
	}
	for _, c := range value(a.Colors) {
		facts.Colors = append(facts.Colors, photo.Color(c))
	}
	report.Facts = facts.Clean()
	return report, nil
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func unreadable(text string) error {
	return &openai.Failure{Reason: openai.Unreadable, Cause: errors.New(text)}
}

// unwrap returns the object in an answer that also has the model's thoughts before it, or that is a block of code.
func unwrap(text string) string {
	text = strings.TrimSpace(text)
	if _, after, found := strings.Cut(text, "</think>"); found && strings.HasPrefix(text, "<think>") {
		text = strings.TrimSpace(after)
	}
	const fence = "```"
	inner, isBlock := strings.CutPrefix(text, fence)
	if !isBlock {
		return text
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(inner, "json"), fence))
}
