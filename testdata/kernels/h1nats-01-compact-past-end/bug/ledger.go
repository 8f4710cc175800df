// Package ledger keeps numbered entries of a stream in pages.
//
// Numbers only go up. A follower that has missed a part of the stream calls
// Compact with a number after its own end, so that the next entry that it
// appends gets the number the leader gave it.
package ledger

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrClosed   = errors.New("ledger: closed")
	ErrNotFound = errors.New("ledger: no such entry")
)

const pageBytes = 1 << 16

// Entry is one stored record. It is never changed after it was stored.
type Entry struct {
	Num  uint64
	At   time.Time
	Body []byte
}

// Stats describes the content of a ledger at one moment.
type Stats struct {
	First, Last  uint64
	Count, Bytes uint64
}

// page holds the entries from lo to hi; some of them may be deleted.
type page struct {
	lo, hi  uint64
	bytes   uint64
	entries map[uint64]*Entry
}

func newPage(lo uint64) *page {
	return &page{lo: lo, hi: lo - 1, entries: make(map[uint64]*Entry)}
}

func (p *page) remove(num uint64) (size uint64, ok bool) {
	e, ok := p.entries[num]
	if !ok {
		return 0, false
	}
	delete(p.entries, num)
	size = uint64(len(e.Body))
	p.bytes -= size
	return size, true
}

// Ledger is safe for concurrent use.
type Ledger struct {
	mu     sync.RWMutex
	state  Stats
	pages  []*page // in order of their numbers
	tail   *page   // the last of pages
	closed bool
	usage  func(count, bytes int64) // told about every change
}

// New returns a ledger whose first entry gets the number 1. The function usage
// may be nil; it is called without locks.
func New(usage func(count, bytes int64)) *Ledger {
	l := &Ledger{usage: usage}
	l.state.First = 1
	l.addPage()
	return l
}

// addPage makes a new tail. The lock is held.
func (l *Ledger) addPage() {
	l.tail = newPage(l.state.Last + 1)
	l.pages = append(l.pages, l.tail)
}

func (l *Ledger) report(count, bytes int64) {
	if l.usage != nil && (count != 0 || bytes != 0) {
		l.usage(count, bytes)
	}
}

// Append stores body under the next number.
func (l *Ledger) Append(body []byte) (uint64, error) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return 0, ErrClosed
	}
	if l.tail.bytes >= pageBytes {
		l.addPage()
	}
	e := &Entry{Num: l.state.Last + 1, At: time.Now(), Body: append([]byte(nil), body...)}
	size := uint64(len(e.Body))
	l.tail.entries[e.Num] = e
	l.tail.hi = e.Num
	l.tail.bytes += size
	l.state.Last = e.Num
	l.state.Count++
	l.state.Bytes += size
	l.mu.Unlock()

	l.report(1, int64(size))
	return e.Num, nil
}

// Get returns the entry with the number num.
func (l *Ledger) Get(num uint64) (*Entry, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return nil, ErrClosed
	}
	if num < l.state.First || num > l.state.Last {
		return nil, ErrNotFound
	}
	if p := l.find(num); p != nil {
		if e, ok := p.entries[num]; ok {
			return e, nil
		}
	}
	return nil, ErrNotFound
}

// find returns the page of num. The lock is held.
func (l *Ledger) find(num uint64) *page {
	for _, p := range l.pages {
		if num >= p.lo && num <= p.hi {
			return p
		}
	}
	return nil
}

// Remove deletes one entry. Its number is not used again.
func (l *Ledger) Remove(num uint64) error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return ErrClosed
	}
	p := l.find(num)
	if p == nil {
		l.mu.Unlock()
		return ErrNotFound
	}
	size, ok := p.remove(num)
	if !ok {
		l.mu.Unlock()
		return ErrNotFound
	}
	l.state.Count--
	l.state.Bytes -= size
	l.mu.Unlock()

	l.report(-1, -int64(size))
	return nil
}

// Clear deletes all entries. The numbers go on where they were. It returns how
// many entries there were.
func (l *Ledger) Clear() (uint64, error) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return 0, ErrClosed
	}
	count, bytes := l.state.Count, l.state.Bytes
	l.state.First = l.state.Last + 1
	l.state.Count, l.state.Bytes = 0, 0
	l.pages = nil
	l.addPage()
	l.mu.Unlock()

	l.report(-int64(count), -int64(bytes))
	return count, nil
}

// Compact deletes all entries below num, and all entries if num is 0. If num
// is after the end of the ledger, the next entry gets the number num. It
// returns how many entries were deleted.
func (l *Ledger) Compact(num uint64) (uint64, error) {
	if num == 0 {
		return l.Clear()
	}
	if last := l.lastNum(); num > last {
		// Nothing that we have is kept. The next entry has to be num.
		count, err := l.Clear()
		if err != nil {
			return 0, err
		}
		l.resetFirst(num)
		return count, nil
	}

	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return 0, ErrClosed
	}
	var count, bytes uint64
	for len(l.pages) > 1 && l.pages[0].hi < num {
		count += uint64(len(l.pages[0].entries))
		bytes += l.pages[0].bytes
		l.pages = l.pages[1:]
	}
	head := l.pages[0]
	for n := head.lo; n < num && n <= head.hi; n++ {
		if size, ok := head.remove(n); ok {
			count++
			bytes += size
		}
	}
	if num > l.state.First {
		l.state.First = num
	}
	l.state.Count -= count
	l.state.Bytes -= bytes
	l.mu.Unlock()

	l.report(-int64(count), -int64(bytes))
	return count, nil
}

// resetFirst lets the numbers go on with first.
func (l *Ledger) resetFirst(first uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.First = first
	l.state.Last = first - 1
	l.tail.lo, l.tail.hi = first, first-1
}

func (l *Ledger) lastNum() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.state.Last
}

// Stats returns the state of the ledger.
func (l *Ledger) Stats() Stats {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.state
}

// Close ends the ledger.
func (l *Ledger) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.pages, l.tail = nil, nil
}
