// Package access evaluates path rules of an API gateway.
package access

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// Rule allows a method on all paths that match the glob.
type Rule struct {
	Method string
	Glob   string
}

// matchers remembers compiled globs. Compiling is pure: the same glob always
// gives an equivalent matcher.
type matchers struct {
	mu     sync.RWMutex
	byGlob map[string]*regexp.Regexp
}

func (m *matchers) cached(glob string) (*regexp.Regexp, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	re, ok := m.byGlob[glob]
	return re, ok
}

func (m *matchers) remember(glob string, re *regexp.Regexp) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byGlob == nil {
		m.byGlob = make(map[string]*regexp.Regexp)
	}
	m.byGlob[glob] = re
}

// match reports whether path matches glob.
func (m *matchers) match(glob, path string) bool {
	re, ok := m.cached(glob)
	if !ok {
		re = compile(glob)
		m.remember(glob, re)
	}
	return re.MatchString(path)
}

// compile translates a glob: "*" is one segment, "**" any number.
func compile(glob string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("^")
	for glob != "" {
		switch {
		case strings.HasPrefix(glob, "**"):
			b.WriteString(".*")
			glob = glob[2:]
		case glob[0] == '*':
			b.WriteString("[^/]*")
			glob = glob[1:]
		default:
			n := strings.IndexByte(glob, '*')
			if n < 0 {
				n = len(glob)
			}
			b.WriteString(regexp.QuoteMeta(glob[:n]))
			glob = glob[n:]
		}
	}
	b.WriteString("$")
	return regexp.MustCompile(b.String())
}

// Gate lets a request pass if a rule of its role allows it.
type Gate struct {
	globs matchers
	roles map[string][]Rule // fixed after NewGate
	next  http.Handler
}

func NewGate(roles map[string][]Rule, next http.Handler) *Gate {
	own := make(map[string][]Rule, len(roles))
	for role, rules := range roles {
		own[role] = append([]Rule(nil), rules...)
	}
	return &Gate{roles: own, next: next}
}

// Allowed reports whether the role may call method on path.
func (g *Gate) Allowed(role, method, path string) bool {
	for _, rule := range g.roles[role] {
		if rule.Method != method && rule.Method != "*" {
			continue
		}
		if g.globs.match(rule.Glob, path) {
			return true
		}
	}
	return false
}

func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.Allowed(r.Header.Get("X-Role"), r.Method, r.URL.Path) {
		http.Error(w, "forbidden", http.StatusForbidden)
		return
	}
	g.next.ServeHTTP(w, r)
}
