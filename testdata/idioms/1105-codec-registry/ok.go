// Correct: copy on write. Every change starts from the map it has loaded and is
// published by CompareAndSwap of just that map, else it begins anew; published
// maps are never written to.

// Package ok registers codecs by content type.
package ok

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync/atomic"
)

type Codec interface {
	Encode(w io.Writer, v any) error
	Decode(r io.Reader, v any) error
}

type entry struct {
	codec Codec
	names []string // all content types of the codec
}

type registry map[string]*entry

// Codecs finds codecs without locks.
type Codecs struct {
	cur atomic.Pointer[registry]
}

func New() *Codecs {
	c := new(Codecs)
	c.cur.Store(&registry{})
	return c
}

// edit publishes the result of change on a copy of the registry.
func (c *Codecs) edit(change func(registry) error) error {
	for {
		old := c.cur.Load()
		next := maps.Clone(*old)
		if err := change(next); err != nil {
			return err
		}
		if c.cur.CompareAndSwap(old, &next) {
			return nil
		}
	}
}

// Register adds a codec for all the names, or none of them.
func (c *Codecs) Register(codec Codec, names ...string) error {
	for _, n := range names {
		if _, err := c.Lookup(n); err == nil {
			return fmt.Errorf("content type %q is taken", n)
		}
	}
	e := &entry{codec: codec, names: slices.Clone(names)}
	return c.edit(func(r registry) error {
		for _, n := range names {
			if _, taken := r[n]; taken {
				return fmt.Errorf("content type %q is taken", n)
			}
			r[n] = e
		}
		return nil
	})
}

// Unregister drops the codec of name, under all its names.
func (c *Codecs) Unregister(name string) error {
	return c.edit(func(r registry) error {
		e, ok := r[name]
		if !ok {
			return fmt.Errorf("no codec for %q", name)
		}
		for _, n := range e.names {
			delete(r, n)
		}
		return nil
	})
}

// Lookup returns the codec for a content type.
func (c *Codecs) Lookup(name string) (Codec, error) {
	r := *c.cur.Load()
	if e, ok := r[name]; ok {
		return e.codec, nil
	}
	return nil, fmt.Errorf("no codec for %q", name)
}

// Names lists the content types.
func (c *Codecs) Names() []string {
	return slices.Sorted(maps.Keys(*c.cur.Load()))
}
