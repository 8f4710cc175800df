package fix

import (
	"context"
	"sync"
	"time"
)

// Record is one line of a stream.
type Record struct {
	At   time.Time
	Line string
}

// Uploader puts a finished chunk into the object store.
type Uploader interface {
	Upload(ctx context.Context, id uint64, recs []Record) error
}

type chunk struct {
	id uint64

	mu    sync.Mutex
	recs  []Record
	bytes int
}

// add stores the record and returns the size of the chunk.
func (c *chunk) add(r Record) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recs = append(c.recs, r)
	c.bytes += len(r.Line)
	return c.bytes
}

func (c *chunk) empty() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.recs) == 0
}

func (c *chunk) records() []Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Record(nil), c.recs...)
}

// Ingester collects records in memory and ships them chunk by chunk.
type Ingester struct {
	up       Uploader
	maxBytes int

	mu     sync.RWMutex
	nextID uint64
	head   *chunk
	full   []*chunk
}

func NewIngester(up Uploader, maxBytes int) *Ingester {
	return &Ingester{up: up, maxBytes: maxBytes, nextID: 1, head: &chunk{}}
}

// Push accepts one record. It is called by every connection.
func (in *Ingester) Push(line string) {
	rec := Record{At: time.Now(), Line: line}
	in.mu.RLock()
	c := in.head
	size := c.add(rec)
	in.mu.RUnlock()
	if size >= in.maxBytes {
		in.cut(c)
	}
}

// cut closes c and starts a new head, unless somebody has done so already.
func (in *Ingester) cut(c *chunk) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.head == c {
		in.cutLocked()
	}
}

func (in *Ingester) cutLocked() {
	in.full = append(in.full, in.head)
	in.head = &chunk{id: in.nextID}
	in.nextID++
}

func (in *Ingester) takeFull() []*chunk {
	in.mu.Lock()
	defer in.mu.Unlock()
	out := in.full
	in.full = nil
	return out
}

func (in *Ingester) putBack(cs []*chunk) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.full = append(cs, in.full...)
}

// Ship uploads the full chunks and forgets them.
func (in *Ingester) Ship(ctx context.Context) error {
	cs := in.takeFull()
	for i, c := range cs {
		if err := in.up.Upload(ctx, c.id, c.records()); err != nil {
			in.putBack(cs[i:])
			return err
		}
	}
	return nil
}

// Flush uploads everything, the head too.
func (in *Ingester) Flush(ctx context.Context) error {
	in.mu.Lock()
	if !in.head.empty() {
		in.cutLocked()
	}
	in.mu.Unlock()
	return in.Ship(ctx)
}

// Run ships until ctx is done.
func (in *Ingester) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			_ = in.Ship(ctx)
		case <-ctx.Done():
			return
		}
	}
}
