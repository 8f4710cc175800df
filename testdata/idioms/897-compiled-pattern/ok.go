// Package matcher evaluates the routing rules of the mail gateway. The
// patterns come from a tenant's rules and are compiled when first needed.
package matcher

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Field is the part of a message a rule looks at.
type Field string

// The fields of a message.
const (
	From    Field = "from"
	To      Field = "to"
	Subject Field = "subject"
)

// Message is what the gateway knows of a mail before it takes the body.
type Message struct {
	From    string
	To      []string
	Subject string
}

// values returns the strings of the field.
func (m *Message) values(f Field) []string {
	switch f {
	case From:
		return []string{m.From}
	case To:
		return m.To
	case Subject:
		return []string{m.Subject}
	}
	return nil
}

// Rule sends matching mail to Route. A Glob has * and ? as in file names.
type Rule struct {
	Field Field
	Glob  string
	Route string
}

// Rules is the ordered rule list of one tenant. It is not changed.
type Rules []Rule

// Router evaluates rules. It is safe for concurrent use.
type Router struct {
	fallback string
	compiled sync.Map // glob to *regexp.Regexp
}

// NewRouter returns a router that sends unmatched mail to fallback.
func NewRouter(fallback string) *Router {
	return &Router{fallback: fallback}
}

// Route returns where the message goes: the route of the first rule that fits.
func (r *Router) Route(rules Rules, m *Message) (string, error) {
	for i, rule := range rules {
		re, err := r.pattern(rule.Glob)
		if err != nil {
			return "", fmt.Errorf("matcher: rule %d: %w", i+1, err)
		}
		for _, v := range m.values(rule.Field) {
			if re.MatchString(v) {
				return rule.Route, nil
			}
		}
	}
	return r.fallback, nil
}

// Check compiles all patterns of a rule list, as the rule editor does before
// it saves one.
func (r *Router) Check(rules Rules) error {
	for i, rule := range rules {
		if _, err := r.pattern(rule.Glob); err != nil {
			return fmt.Errorf("matcher: rule %d: %w", i+1, err)
		}
	}
	return nil
}

// pattern returns the expression for a glob.
func (r *Router) pattern(glob string) (*regexp.Regexp, error) {
	if re, ok := r.compiled.Load(glob); ok {
		return re.(*regexp.Regexp), nil
	}
	re, err := regexp.Compile(expression(glob))
	if err != nil {
		return nil, err
	}
	r.compiled.Store(glob, re)
	return re, nil
}

// expression translates a glob into the syntax of package regexp.
func expression(glob string) string {
	var b strings.Builder
	b.WriteString("(?is)^")
	for _, c := range glob {
		switch c {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteString(".")
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	b.WriteString("$")
	return b.String()
}
