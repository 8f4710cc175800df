// Package fix delivers the messages of a topic to readers.
package fix

import (
	"encoding/json"
	"errors"
	"sync"
	"time"
)

var errNoTopic = errors.New("reader is not attached to a topic")

type outMsg struct {
	subject string
	data    []byte
}

type notice struct {
	Topic  string    `json:"topic"`
	Reader string    `json:"reader"`
	Action string    `json:"action"`
	Time   time.Time `json:"time"`
}

// Topic has any number of readers.
type Topic struct {
	mu      sync.RWMutex
	name    string
	readers map[string]*Reader
	outq    chan *outMsg
}

// NewTopic returns an empty topic whose notices go to outq.
func NewTopic(name string, outq chan *outMsg) *Topic {
	return &Topic{name: name, readers: make(map[string]*Reader), outq: outq}
}

func (t *Topic) removeReader(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.readers, name)
}

// Reader is one consumer of a topic.
type Reader struct {
	mu      sync.Mutex
	topic   *Topic
	name    string
	quit    chan struct{}
	pending map[uint64]time.Time
	ptmr    *time.Timer
	active  bool
	redeliv int
	closed  bool
}

// AddReader attaches a reader.
func (t *Topic) AddReader(name string) *Reader {
	r := &Reader{
		topic:   t,
		name:    name,
		quit:    make(chan struct{}),
		pending: make(map[uint64]time.Time),
		active:  true,
	}
	t.mu.Lock()
	t.readers[name] = r
	t.mu.Unlock()
	r.mu.Lock()
	r.ptmr = time.AfterFunc(30*time.Second, r.onTimer)
	r.mu.Unlock()
	return r
}

// Stop stops all readers of the topic.
func (t *Topic) Stop() {
	t.mu.RLock()
	rs := make([]*Reader, 0, len(t.readers))
	for _, r := range t.readers {
		rs = append(rs, r)
	}
	t.mu.RUnlock()
	for _, r := range rs {
		r.stop(false, true)
	}
}

func (r *Reader) onTimer() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.topic == nil {
		return
	}
	now := time.Now()
	for seq, at := range r.pending {
		if now.Sub(at) > 30*time.Second {
			r.redeliv++
			r.pending[seq] = now
		}
	}
	if r.ptmr != nil {
		r.ptmr.Reset(30 * time.Second)
	}
}

// Delivered notes that a message was sent and awaits its ack.
func (r *Reader) Delivered(seq uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.topic == nil {
		return errNoTopic
	}
	r.pending[seq] = time.Now()
	return nil
}

// Ack removes a message from the pending ones.
func (r *Reader) Ack(seq uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pending, seq)
}

func (r *Reader) emit(subject string, data []byte) {
	if r.topic != nil && r.topic.outq != nil {
		outq := r.topic.outq
		r.mu.Unlock()
		outq <- &outMsg{subject, data}
		r.mu.Lock()
	}
}

func (r *Reader) noticeGoneLocked() {
	n := notice{Topic: r.topic.name, Reader: r.name, Action: "delete", Time: time.Now().UTC()}
	b, err := json.Marshal(n)
	if err != nil {
		return
	}
	r.emit("event.reader.deleted."+r.name, b)
}

// Delete removes the reader for good.
func (r *Reader) Delete() error { return r.stop(true, true) }

func (r *Reader) stop(remove, advise bool) error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true

	if remove && advise {
		r.noticeGoneLocked()
	}

	close(r.quit)
	t := r.topic
	r.topic = nil
	r.active = false
	if r.ptmr != nil {
		r.ptmr.Stop()
		r.ptmr = nil
	}
	r.pending = make(map[uint64]time.Time)
	r.mu.Unlock()

	if remove {
		t.removeReader(r.name)
	}
	return nil
}

// Done is closed when the reader has stopped.
func (r *Reader) Done() <-chan struct{} { return r.quit }
