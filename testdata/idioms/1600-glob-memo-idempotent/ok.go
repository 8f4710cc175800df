// Package a matches request paths against route patterns.
package a

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// compiled holds the expression of each pattern which was used so far.
var compiled sync.Map // pattern -> *regexp.Regexp

// compile translates a pattern with * and ** to an expression.
func compile(pattern string) (*regexp.Regexp, error) {
	if re, ok := compiled.Load(pattern); ok {
		return re.(*regexp.Regexp), nil
	}
	var b strings.Builder
	b.WriteByte('^')
	for rest := pattern; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			rest = rest[2:]
		case rest[0] == '*':
			b.WriteString("[^/]*")
			rest = rest[1:]
		default:
			n := strings.IndexByte(rest, '*')
			if n < 0 {
				n = len(rest)
			}
			b.WriteString(regexp.QuoteMeta(rest[:n]))
			rest = rest[n:]
		}
	}
	b.WriteByte('$')
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	compiled.Store(pattern, re)
	return re, nil
}

// Rule allows or forbids the paths of a pattern.
type Rule struct {
	Pattern string
	Allow   bool
}

// Guard is a middleware which applies the first rule that matches.
type Guard struct {
	Rules []Rule
	Next  http.Handler
}

// ServeHTTP forwards allowed requests.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, rule := range g.Rules {
		re, err := compile(rule.Pattern)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if !re.MatchString(r.URL.Path) {
			continue
		}
		if rule.Allow {
			g.Next.ServeHTTP(w, r)
		} else {
			http.Error(w, "forbidden", http.StatusForbidden)
		}
		return
	}
	http.NotFound(w, r)
}
