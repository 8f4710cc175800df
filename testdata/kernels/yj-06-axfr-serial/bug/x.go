// Package zone serves authoritative zones and their transfers.
package zone

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// RR is a resource record in presentation form.
type RR struct {
	Name  string
	Type  string
	TTL   uint32
	RData string
}

// SOA is the start of authority of a zone.
type SOA struct {
	MName   string
	RName   string
	Serial  uint32
	Refresh uint32
	Retry   uint32
	Expire  uint32
	Minimum uint32
}

func (s SOA) rr(origin string) RR {
	return RR{Name: origin, Type: "SOA", TTL: s.Minimum, RData: fmt.Sprintf("%s %s %d %d %d %d %d",
		s.MName, s.RName, s.Serial, s.Refresh, s.Retry, s.Expire, s.Minimum)}
}

// ErrNotNewer is returned by Load for a zone file whose serial did not move.
var ErrNotNewer = errors.New("zone: serial is not newer")

// Zone is one loaded zone.
type Zone struct {
	origin string

	mu      sync.RWMutex
	soa     SOA
	records []RR
	byName  map[string][]RR
}

// New returns an empty zone.
func New(origin string) *Zone {
	return &Zone{origin: strings.ToLower(origin), byName: make(map[string][]RR)}
}

// Load replaces the content of the zone.
func (z *Zone) Load(soa SOA, records []RR) error {
	byName := make(map[string][]RR)
	for _, r := range records {
		n := strings.ToLower(r.Name)
		byName[n] = append(byName[n], r)
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	if int32(soa.Serial-z.soa.Serial) <= 0 && z.soa.Serial != 0 {
		return ErrNotNewer
	}
	z.soa = soa
	z.records = slices.Clone(records)
	z.byName = byName
	return nil
}

// Lookup answers a query.
func (z *Zone) Lookup(name, qtype string) []RR {
	z.mu.RLock()
	defer z.mu.RUnlock()
	var out []RR
	for _, r := range z.byName[strings.ToLower(name)] {
		if r.Type == qtype {
			out = append(out, r)
		}
	}
	return out
}

// SOA returns the current start of authority.
func (z *Zone) SOA() SOA {
	z.mu.RLock()
	defer z.mu.RUnlock()
	return z.soa
}

// Records returns all records except the SOA.
func (z *Zone) Records() []RR {
	z.mu.RLock()
	defer z.mu.RUnlock()
	return slices.Clone(z.records)
}

// upToDate reports whether a secondary that has serial needs no transfer.
func (z *Zone) upToDate(serial uint32) bool {
	return int32(serial-z.SOA().Serial) >= 0
}

// Sender writes one message of a transfer.
type Sender interface {
	Send(rrs []RR) error
}

const maxPerMessage = 500

// Transfer sends the whole zone to a secondary (RFC 5936). A secondary that
// is up to date gets the SOA only, as an answer to IXFR.
func (z *Zone) Transfer(w Sender, have uint32) error {
	if have != 0 && z.upToDate(have) {
		return w.Send([]RR{z.SOA().rr(z.origin)})
	}

	body := z.Records()
	slices.SortFunc(body, func(a, b RR) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.Type, b.Type)
	})

	apex := z.SOA().rr(z.origin)
	msg := make([]RR, 0, maxPerMessage)
	msg = append(msg, apex)
	for _, r := range body {
		if len(msg) == maxPerMessage {
			if err := w.Send(msg); err != nil {
				return err
			}
			msg = make([]RR, 0, maxPerMessage)
		}
		msg = append(msg, r)
	}
	return w.Send(append(msg, apex))
}
