// Package rebind rewrites question mark placeholders to the numbered form that
// the server understands.
package rebind

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Execer is the part of a connection that the driver needs.
type Execer interface {
	Exec(ctx context.Context, query string, args []any) (int64, error)
}

type parsed struct {
	text   string
	params int
}

// Driver runs queries on one connection. It may be used concurrently.
type Driver struct {
	conn Execer
	max  int

	mu     sync.RWMutex
	parsed map[string]parsed
}

// New returns a driver that remembers up to max rewritten queries.
func New(conn Execer, max int) *Driver {
	return &Driver{conn: conn, max: max, parsed: make(map[string]parsed)}
}

// Exec rewrites and runs a query.
func (d *Driver) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	p, err := d.lookup(query)
	if err != nil {
		return 0, err
	}
	if p.params != len(args) {
		return 0, fmt.Errorf("rebind: %d arguments for %d placeholders", len(args), p.params)
	}
	return d.conn.Exec(ctx, p.text, args)
}

func (d *Driver) lookup(query string) (parsed, error) {
	d.mu.RLock()
	p, ok := d.parsed[query]
	d.mu.RUnlock()
	if ok {
		return p, nil
	}
	p, err := rewrite(query)
	if err != nil {
		return parsed{}, err
	}
	d.mu.Lock()
	if len(d.parsed) >= d.max {
		for k := range d.parsed {
			delete(d.parsed, k)
			break
		}
	}
	d.parsed[query] = p
	d.mu.Unlock()
	return p, nil
}

// Cached returns the number of remembered queries.
func (d *Driver) Cached() int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return len(d.parsed)
}

// rewrite numbers the placeholders outside of string literals.
func rewrite(query string) (parsed, error) {
	var b strings.Builder
	b.Grow(len(query) + 8)
	n, quoted := 0, false
	for i := 0; i < len(query); i++ {
		switch c := query[i]; {
		case c == '\'':
			quoted = !quoted
			b.WriteByte(c)
		case c == '?' && !quoted:
			n++
			b.WriteByte('$')
			b.WriteString(strconv.Itoa(n))
		default:
			b.WriteByte(c)
		}
	}
	if quoted {
		return parsed{}, fmt.Errorf("rebind: unterminated literal in %q", query)
	}
	return parsed{text: b.String(), params: n}, nil
}
