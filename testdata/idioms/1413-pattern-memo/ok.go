// Package route matches paths against compiled patterns.
package route

import (
	"regexp"
	"strings"
	"sync"
)

// memo remembers the results of a pure function.
type memo[K comparable, V any] struct {
	mu    sync.RWMutex
	known map[K]V
	fn    func(K) (V, error)
}

func newMemo[K comparable, V any](fn func(K) (V, error)) *memo[K, V] {
	return &memo[K, V]{known: make(map[K]V), fn: fn}
}

func (m *memo[K, V]) peek(k K) (V, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok := m.known[k]
	return v, ok
}

func (m *memo[K, V]) keep(k K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[k] = v
}

func (m *memo[K, V]) get(k K) (V, error) {
	if v, ok := m.peek(k); ok {
		return v, nil
	}
	v, err := m.fn(k)
	if err != nil {
		return v, err
	}
	m.keep(k, v)
	return v, nil
}

// compile turns "/users/{id}" into an anchored expression.
func compile(pattern string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("^")
	for _, part := range strings.Split(strings.Trim(pattern, "/"), "/") {
		b.WriteString("/")
		if name, ok := strings.CutPrefix(part, "{"); ok {
			name = strings.TrimSuffix(name, "}")
			b.WriteString("(?P<" + name + ">[^/]+)")
			continue
		}
		b.WriteString(regexp.QuoteMeta(part))
	}
	b.WriteString("$")
	return regexp.Compile(b.String())
}

type Matcher struct {
	compiled *memo[string, *regexp.Regexp]
}

func NewMatcher() *Matcher {
	return &Matcher{compiled: newMemo(compile)}
}

// Match returns the named parts of path if it fits pattern.
func (m *Matcher) Match(pattern, path string) (map[string]string, bool, error) {
	re, err := m.compiled.get(pattern)
	if err != nil {
		return nil, false, err
	}
	sub := re.FindStringSubmatch(path)
	if sub == nil {
		return nil, false, nil
	}
	vars := make(map[string]string)
	for i, name := range re.SubexpNames() {
		if name != "" {
			vars[name] = sub[i]
		}
	}
	return vars, true, nil
}
