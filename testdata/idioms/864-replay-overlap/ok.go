// Package topic is an in-memory publish/subscribe topic whose subscribers can
// start in the past.
package topic

import (
	"context"
	"errors"
	"sync"
)

var (
	// ErrSlow is returned by Next when the subscriber has fallen behind so far
	// that messages had to be dropped.
	ErrSlow = errors.New("topic: subscriber is too slow")
	// ErrClosed is returned by Next after Close.
	ErrClosed = errors.New("topic: reader is closed")
)

// Message is one entry of the topic. The first message has offset 1.
type Message struct {
	Offset uint64
	Body   []byte
}

// history keeps all messages.
type history struct {
	mu       sync.RWMutex
	messages []Message
}

func (h *history) append(body []byte) Message {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := Message{Offset: uint64(len(h.messages)) + 1, Body: body}
	h.messages = append(h.messages, m)
	return m
}

func (h *history) after(offset uint64) []Message {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if offset >= uint64(len(h.messages)) {
		return nil
	}
	return append([]Message(nil), h.messages[offset:]...)
}

// Topic is safe for concurrent use.
type Topic struct {
	publishing sync.Mutex // messages are delivered in the order of their offsets
	history    history

	mu      sync.Mutex
	readers map[*Reader]struct{}
}

// New returns an empty topic.
func New() *Topic {
	return &Topic{readers: make(map[*Reader]struct{})}
}

// Publish appends a message and delivers it to the readers.
func (t *Topic) Publish(body []byte) uint64 {
	t.publishing.Lock()
	defer t.publishing.Unlock()
	m := t.history.append(append([]byte(nil), body...))
	t.deliver(m)
	return m.Offset
}

// deliver passes a message to all readers and drops those without room.
func (t *Topic) deliver(m Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for r := range t.readers {
		select {
		case r.live <- m:
		default:
			delete(t.readers, r)
			close(r.live)
		}
	}
}

// Subscribe returns a reader of the messages after offset. The reader is
// joined before the history is read: a message published in between is in both
// and Next skips the second copy.
func (t *Topic) Subscribe(offset uint64, buffer int) *Reader {
	r := &Reader{
		topic: t,
		last:  offset,
		live:  make(chan Message, buffer),
		done:  make(chan struct{}),
	}
	t.join(r)
	r.replay = t.history.after(offset)
	return r
}

func (t *Topic) join(r *Reader) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.readers[r] = struct{}{}
}

func (t *Topic) leave(r *Reader) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.readers, r)
}

// Reader delivers messages in order. Next is called by one goroutine; Close
// may be called by any.
type Reader struct {
	topic  *Topic
	live   chan Message
	done   chan struct{}
	once   sync.Once
	replay []Message
	last   uint64 // offset of the message returned last
}

// Next returns the next message.
func (r *Reader) Next(ctx context.Context) (Message, error) {
	if len(r.replay) > 0 {
		m := r.replay[0]
		r.replay = r.replay[1:]
		r.last = m.Offset
		return m, nil
	}
	for {
		select {
		case m, ok := <-r.live:
			if !ok {
				return Message{}, ErrSlow
			}
			if m.Offset <= r.last {
				continue
			}
			r.last = m.Offset
			return m, nil
		case <-r.done:
			return Message{}, ErrClosed
		case <-ctx.Done():
			return Message{}, ctx.Err()
		}
	}
}

// Close ends the reader.
func (r *Reader) Close() {
	r.once.Do(func() {
		r.topic.leave(r)
		close(r.done)
	})
}
