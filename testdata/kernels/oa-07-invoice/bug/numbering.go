// Package invoice gives consecutive numbers to invoices.
package invoice

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrUnknownTenant is returned for tenants without a profile.
var ErrUnknownTenant = errors.New("invoice: unknown tenant")

// Profile is how a tenant wants its numbers.
type Profile struct {
	Prefix string
	Width  int
	First  int64
}

// Line is a position of an invoice.
type Line struct {
	Text  string
	Cents int64
}

// Invoice is an issued document.
type Invoice struct {
	Number string
	Tenant string
	Issued time.Time
	Lines  []Line
	Total  int64
}

// Archive keeps issued documents.
type Archive interface {
	Save(inv Invoice) error
}

type series struct {
	tenant string
	year   int
}

// Numbering issues invoices.
type Numbering struct {
	archive  Archive
	now      func() time.Time
	last     sync.Map // series -> int64
	profiles sync.Map // tenant -> Profile

	mu    sync.Mutex
	voids []string
}

// NewNumbering returns a Numbering which saves to archive.
func NewNumbering(archive Archive) *Numbering {
	return &Numbering{archive: archive, now: time.Now}
}

// Register sets the profile of a tenant; the first one wins.
func (n *Numbering) Register(tenant string, p Profile) Profile {
	if p.Width == 0 {
		p.Width = 6
	}
	if p.First == 0 {
		p.First = 1
	}
	got, _ := n.profiles.LoadOrStore(tenant, p)
	return got.(Profile)
}

func (n *Numbering) profile(tenant string) (Profile, error) {
	v, ok := n.profiles.Load(tenant)
	if !ok {
		return Profile{}, ErrUnknownTenant
	}
	return v.(Profile), nil
}

func (n *Numbering) next(s series, first int64) int64 {
	no := first
	if v, ok := n.last.Load(s); ok {
		no = v.(int64) + 1
	}
	n.last.Store(s, no)
	return no
}

// Issue numbers and archives an invoice.
func (n *Numbering) Issue(tenant string, lines []Line) (Invoice, error) {
	p, err := n.profile(tenant)
	if err != nil {
		return Invoice{}, err
	}
	if len(lines) == 0 {
		return Invoice{}, errors.New("invoice: no lines")
	}
	inv := Invoice{Tenant: tenant, Issued: n.now(), Lines: lines}
	for _, l := range lines {
		inv.Total += l.Cents
	}
	s := series{tenant: tenant, year: inv.Issued.Year()}
	no := n.next(s, p.First)
	inv.Number = fmt.Sprintf("%s-%d-%0*d", p.Prefix, s.year, p.Width, no)
	if err := n.archive.Save(inv); err != nil {
		n.void(inv.Number)
		return Invoice{}, fmt.Errorf("invoice: archive %s: %w", inv.Number, err)
	}
	return inv, nil
}

// void remembers a number which was given out but not used; gaps have to be explained.
func (n *Numbering) void(number string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.voids = append(n.voids, number)
}

// Voids returns the unused numbers since the last call.
func (n *Numbering) Voids() []string {
	n.mu.Lock()
	vs := n.voids
	n.voids = nil
	n.mu.Unlock()
	out := make([]string, 0, len(vs))
	for _, v := range vs {
		out = append(out, "void "+v)
	}
	return out
}

// Last returns the last number of a year, zero before the first invoice.
func (n *Numbering) Last(tenant string, year int) int64 {
	v, ok := n.last.Load(series{tenant: tenant, year: year})
	if !ok {
		return 0
	}
	return v.(int64)
}
