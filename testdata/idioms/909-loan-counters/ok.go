// Package loans counts what the branches of a city library lend and take
// back, for the statistics the council asks for.
package loans

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrLabel is returned for label values that cannot be written out.
var ErrLabel = errors.New("loans: bad label")

// labels tell the series of a counter apart.
type labels struct {
	branch string
	medium string
}

// Counter only goes up.
type Counter struct {
	n atomic.Int64
}

// Inc adds one.
func (c *Counter) Inc() { c.n.Add(1) }

// Add adds n, which must not be negative.
func (c *Counter) Add(n int64) {
	if n < 0 {
		panic("loans: counter cannot go down")
	}
	c.n.Add(n)
}

// Value returns the count.
func (c *Counter) Value() int64 { return c.n.Load() }

// Vec is a family of counters, one per branch and medium. It is safe for
// concurrent use; series are made when first asked for and stay.
type Vec struct {
	name string

	mu     sync.RWMutex
	series map[labels]*Counter
}

// NewVec returns an empty family.
func NewVec(name string) *Vec {
	return &Vec{name: name, series: make(map[labels]*Counter)}
}

// With returns the counter of a branch and medium. Callers may keep it.
func (v *Vec) With(branch, medium string) (*Counter, error) {
	l := labels{branch: branch, medium: medium}
	if c := v.lookup(l); c != nil {
		return c, nil
	}
	if !printable(branch) || !printable(medium) {
		return nil, fmt.Errorf("%w: %q, %q", ErrLabel, branch, medium)
	}
	return v.add(l), nil
}

func (v *Vec) lookup(l labels) *Counter {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.series[l]
}

// add returns the series, making it if no one else has.
func (v *Vec) add(l labels) *Counter {
	v.mu.Lock()
	defer v.mu.Unlock()
	if c, ok := v.series[l]; ok {
		return c
	}
	c := &Counter{}
	v.series[l] = c
	return c
}

func printable(s string) bool {
	return s != "" && !strings.ContainsAny(s, "\"\n")
}

// sample is a series with its value.
type sample struct {
	labels
	value int64
}

func (v *Vec) samples() []sample {
	v.mu.RLock()
	defer v.mu.RUnlock()
	out := make([]sample, 0, len(v.series))
	for l, c := range v.series {
		out = append(out, sample{labels: l, value: c.Value()})
	}
	return out
}

// WriteTo writes the family as text, one series a line.
func (v *Vec) WriteTo(w io.Writer) (int64, error) {
	all := v.samples()
	slices.SortFunc(all, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.branch, b.branch), cmp.Compare(a.medium, b.medium))
	})
	var total int64
	for _, s := range all {
		n, err := fmt.Fprintf(w, "%s{branch=\"%s\",medium=\"%s\"} %d\n", v.name, s.branch, s.medium, s.value)
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// Desk is the lending desk's use of the counters.
type Desk struct {
	lent, returned *Vec
}

// NewDesk returns a desk that counts in the two families.
func NewDesk(lent, returned *Vec) *Desk { return &Desk{lent: lent, returned: returned} }

// Lend counts n items of a medium lent at a branch.
func (d *Desk) Lend(branch, medium string, n int64) error {
	c, err := d.lent.With(branch, medium)
	if err != nil {
		return err
	}
	c.Add(n)
	return nil
}

// Return counts one item taken back.
func (d *Desk) Return(branch, medium string) error {
	c, err := d.returned.With(branch, medium)
	if err != nil {
		return err
	}
	c.Inc()
	return nil
}
