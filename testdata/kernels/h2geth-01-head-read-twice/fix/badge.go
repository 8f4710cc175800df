// Package badge lets two nodes find out whether they follow the same history.
package badge

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Errors of a Filter.
var (
	ErrRemoteStale = errors.New("remote node needs an update")
	ErrLocalStale  = errors.New("node is on another history, or needs an update")
)

// Rules lists where the format changes: first by height, later by time.
type Rules struct {
	ByHeight []uint64
	ByTime   []uint64
}

// Page is an element of the history. Pages are not changed once made.
type Page struct {
	Height uint64
	Time   uint64
	Parent *Page
}

// Book is the history of one node.
type Book struct {
	rules  Rules
	origin *Page

	mu   sync.Mutex // serialises the writers
	head atomic.Pointer[Page]
}

// NewBook returns a book with only its first page.
func NewBook(rules Rules, start uint64) *Book {
	b := &Book{
		rules: Rules{
			ByHeight: slices.Sorted(slices.Values(rules.ByHeight)),
			ByTime:   slices.Sorted(slices.Values(rules.ByTime)),
		},
		origin: &Page{Time: start},
	}
	b.head.Store(b.origin)
	return b
}

// Rules returns the rules of the book. They must not be changed.
func (b *Book) Rules() Rules { return b.rules }

// Origin returns the first page.
func (b *Book) Origin() *Page { return b.origin }

// Head returns the newest page.
func (b *Book) Head() *Page { return b.head.Load() }

// Append adds a page.
func (b *Book) Append(time uint64) *Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := b.head.Load()
	p := &Page{Height: last.Height + 1, Time: max(time, last.Time), Parent: last}
	b.head.Store(p)
	return p
}

// Rewind drops all pages above height.
func (b *Book) Rewind(height uint64) *Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.head.Load()
	for p.Height > height {
		p = p.Parent
	}
	b.head.Store(p)
	return p
}

// Badge sums up the changes of format a node has gone through.
type Badge struct {
	Sum  [4]byte // of the origin and the changes passed
	Next uint64  // the next change, 0 if none is known
}

// Filter tells whether a node with the given badge can be talked to.
type Filter func(Badge) error

func sumOrigin(p *Page) uint32 {
	return crc32.ChecksumIEEE(binary.BigEndian.AppendUint64(nil, p.Time))
}

func addChange(sum uint32, at uint64) uint32 {
	return crc32.Update(sum, crc32.IEEETable, binary.BigEndian.AppendUint64(nil, at))
}

func toBytes(sum uint32) (s [4]byte) {
	binary.BigEndian.PutUint32(s[:], sum)
	return s
}

// New returns the badge at a given place of a history.
func New(rules Rules, origin *Page, height, time uint64) Badge {
	sum := sumOrigin(origin)
	for _, at := range rules.ByHeight {
		if at > height {
			return Badge{Sum: toBytes(sum), Next: at}
		}
		sum = addChange(sum, at)
	}
	for _, at := range rules.ByTime {
		if at > time {
			return Badge{Sum: toBytes(sum), Next: at}
		}
		sum = addChange(sum, at)
	}
	return Badge{Sum: toBytes(sum)}
}

// Of returns the badge of a book at its head.
func Of(b *Book) Badge {
	head := b.Head()
	return New(
		b.Rules(),
		b.Origin(),
		head.Height,
		head.Time,
	)
}

// FilterFor returns a filter that follows the head of a book.
func FilterFor(b *Book) Filter {
	return newFilter(b.Rules(), b.Origin(), func() (uint64, uint64) {
		head := b.Head()
		return head.Height, head.Time
	})
}

// FixedFilter returns a filter for a book that stays at its origin.
func FixedFilter(rules Rules, origin *Page) Filter {
	return newFilter(rules, origin, func() (uint64, uint64) {
		return 0, origin.Time
	})
}

func newFilter(rules Rules, origin *Page, place func() (height, time uint64)) Filter {
	changes := slices.Concat(rules.ByHeight, rules.ByTime)
	sums := make([][4]byte, 0, len(changes)+1)
	sum := sumOrigin(origin)
	sums = append(sums, toBytes(sum))
	for _, at := range changes {
		sum = addChange(sum, at)
		sums = append(sums, toBytes(sum))
	}
	changes = append(changes, math.MaxUint64) // never passed

	return func(remote Badge) error {
		height, time := place()
		for i, at := range changes {
			here := time
			if i < len(rules.ByHeight) {
				here = height
			}
			if here >= at {
				continue
			}
			// The local node is between changes i-1 and i.
			if sums[i] == remote.Sum {
				if remote.Next > 0 && here >= remote.Next {
					return ErrLocalStale
				}
				return nil
			}
			for j := range i {
				if sums[j] == remote.Sum {
					// The remote is behind, and has to know what comes.
					if changes[j] != remote.Next {
						return ErrRemoteStale
					}
					return nil
				}
			}
			for j := i + 1; j < len(sums); j++ {
				if sums[j] == remote.Sum {
					return nil // the local node is behind
				}
			}
			return ErrLocalStale
		}
		return nil
	}
}

// Peer is a remote node.
type Peer struct {
	mu    sync.Mutex
	badge Badge
	ok    bool
}

// Greet notes the badge of a peer and checks it.
func (p *Peer) Greet(f Filter, remote Badge) error {
	err := f(remote)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.badge, p.ok = remote, err == nil
	return err
}

// Badge returns the badge of the peer, if it has been accepted.
func (p *Peer) Badge() (Badge, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.badge, p.ok
}
