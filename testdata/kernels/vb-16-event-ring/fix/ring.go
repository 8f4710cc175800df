package eventring

import "sync/atomic"

const size = 1 << 10

// Event is immutable once published.
type Event struct {
	Seq  int64
	Kind string
	Body []byte
}

// Ring keeps the last events of a single writer for any number of readers.
type Ring struct {
	head  atomic.Int64
	slots [size]atomic.Pointer[Event]
}

// Start moves everything from src into the ring.
func Start(src <-chan Event) *Ring {
	r := &Ring{}
	go r.pump(src)
	return r
}

func (r *Ring) pump(src <-chan Event) {
	for ev := range src {
		r.publish(ev)
	}
}

func (r *Ring) publish(ev Event) {
	seq := r.head.Load()
	ev.Seq = seq
	r.slots[seq%size].Store(&ev)
	r.head.Store(seq + 1)
}

// Cursor is the reading position of one consumer.
type Cursor struct {
	ring *Ring
	next int64
	lost int64
}

func (r *Ring) Tail() *Cursor { return &Cursor{ring: r, next: r.head.Load()} }

// Next returns the next event, or false when the cursor has caught up.
func (c *Cursor) Next() (Event, bool) {
	for {
		head := c.ring.head.Load()
		if c.next >= head {
			return Event{}, false
		}
		ev := c.ring.slots[c.next%size].Load()
		if ev.Seq > c.next {
			c.lost += ev.Seq - c.next
			c.next = ev.Seq
		}
		c.next++
		return *ev, true
	}
}

func (c *Cursor) Lost() int64 { return c.lost }
