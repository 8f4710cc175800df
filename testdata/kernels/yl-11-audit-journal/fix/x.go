// Package fix is an audit journal that consumers read by sequence number.
package fix

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"sync"
	"time"
)

type Record struct {
	Seq  uint64
	Time time.Time
	Body []byte
}

type Journal struct {
	keep int

	mu      sync.RWMutex
	seq     uint64
	records []Record // by sequence number
	lost    uint64
}

func NewJournal(keep int) *Journal {
	return &Journal{keep: keep}
}

// Append records an event.
func (j *Journal) Append(event any) (uint64, error) {
	body, err := json.Marshal(event)
	if err != nil {
		return 0, fmt.Errorf("journal: %w", err)
	}
	return j.insert(Record{Body: body}), nil
}

func (j *Journal) insert(rec Record) uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seq++
	rec.Seq = j.seq
	rec.Time = time.Now()
	j.records = append(j.records, rec)
	if over := len(j.records) - j.keep; over > 0 {
		j.records = slices.Delete(j.records, 0, over)
		j.lost += uint64(over)
	}
	return rec.Seq
}

// After returns up to max records with numbers above seq.
func (j *Journal) After(seq uint64, max int) []Record {
	j.mu.RLock()
	defer j.mu.RUnlock()
	i := sort.Search(len(j.records), func(i int) bool { return j.records[i].Seq > seq })
	end := min(i+max, len(j.records))
	return slices.Clone(j.records[i:end])
}

// Lost counts the records that were dropped to bound the journal.
func (j *Journal) Lost() uint64 {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.lost
}

// Reader goes through the journal; it is used by one consumer.
type Reader struct {
	j    *Journal
	seen uint64
}

// NewReader resumes after the record seq.
func (j *Journal) NewReader(seq uint64) *Reader {
	return &Reader{j: j, seen: seq}
}

// Next returns the records that came since the last call.
func (r *Reader) Next(max int) []Record {
	recs := r.j.After(r.seen, max)
	if n := len(recs); n > 0 {
		r.seen = recs[n-1].Seq
	}
	return recs
}

// Position is where a later reader should resume.
func (r *Reader) Position() uint64 { return r.seen }
