package frame

import (
	"errors"
	"net/http"
	"slices"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// Locale is the language of a page. Besides the texts and formats of package i18n, it has the texts that all areas
// share. Every Call has one, so that c.Say returns a text in the user's language.
type Locale struct{ *i18n.Language }

// English returns the locale of tests and of text that is not shown to a user.
func English() Locale { return Locale{i18n.Choose("en")} }

// LanguageCookie remembers the language that a person chose before logging in.
const LanguageCookie = "language"

// localeOf returns the language of the page: the one in the user's profile, otherwise the one chosen in this browser,
// otherwise the browser's.
func localeOf(c *Call) Locale {
	return Locale{i18n.Choose(c.Session.User.Language, c.Cookie(LanguageCookie),
		c.Request.Header.Get("Accept-Language"))}
}

// languageChoice is a language in the menu of pages for people who are not logged in.
type languageChoice struct {
	Tag, Name string
	Current   bool
}

func listLanguages(l Locale) (all []languageChoice) {
	for _, tag := range i18n.Tags() {
		all = append(all, languageChoice{Tag: tag, Name: i18n.Name(tag), Current: tag == l.Tag()})
	}
	return all
}

// setLanguage remembers the language that a person chose in the menu. The language in a user's profile takes
// precedence over it.
func setLanguage(c *Call) error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	if tag := values.Get("language"); slices.Contains(i18n.Tags(), tag) {
		c.SetCookie(LanguageCookie, tag, CookieYear)
	}
	return c.Redirect(SafePath(values.Get("back")))
}

// UserLanguages lists the languages of the dashboard, each by its own name, after the browser's.
func (l Locale) UserLanguages() []Option {
	options := []Option{{"", l.Say("frame.profile.browser")}}
	for _, tag := range i18n.Tags() {
		options = append(options, Option{tag, i18n.Name(tag)})
	}
	return options
}

// addressOf returns the address of the page for a link back to it. After a form was sent, it is the form's page.
func addressOf(c *Call) string {
	if c.Request.Method == http.MethodGet {
		return c.Request.URL.RequestURI()
	}
	return findParentPage(c)
}

// localError is an error whose message is already in the user's language.
type localError struct{ error }

func (e localError) Unwrap() error { return e.error }

// NewError returns an error with a message in the user's language.
func (l Locale) NewError(code lost.Code, key string, args ...any) error {
	return localError{lost.E(code, "%s", l.Say(key, args...))}
}

// NewFieldError returns an error about a field of a form, with a message in the user's language.
func (l Locale) NewFieldError(field, text string) error {
	var p lost.Problems
	p.Add(field, "invalid-value", "%s", text)
	return localError{p.Err()}
}

// ErrorText returns the message of an error for the user. Use cases write their messages in English. Other languages
// have a text for the message or one for its reason. It is empty for an internal error.
func (l Locale) ErrorText(err error) string {
	detail := lost.Detail(err)
	if _, local := errors.AsType[localError](err); local || detail == "" || l.isEnglish() {
		return detail
	}
	if text, known := l.translateRefusal(detail); known {
		return text
	}
	for _, code := range []lost.Code{lost.ReasonOf(err), lost.CodeOf(err)} {
		if key := "frame.problem." + string(code); l.Has(key) {
			return l.Say(key)
		}
	}
	return detail
}

func (l Locale) isEnglish() bool { return l.Tag() == "en" }
