// Package fix delivers chat messages to clients that poll.
package fix

import (
	"context"
	"errors"
	"sync"
	"time"
)

var ErrEmpty = errors.New("chat: empty message")

// Message is numbered within the mailbox it lies in.
type Message struct {
	Seq  uint64
	From string
	Text string
	At   time.Time
}

// mailbox holds the last messages for a user and those who wait for more.
type mailbox struct {
	mu      sync.Mutex
	keep    int
	seq     uint64
	msgs    []Message
	waiters map[chan struct{}]struct{}
}

func (b *mailbox) put(m Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	m.Seq = b.seq
	b.msgs = append(b.msgs, m)
	if over := len(b.msgs) - b.keep; over > 0 {
		b.msgs = append([]Message(nil), b.msgs[over:]...)
	}
	for w := range b.waiters {
		close(w)
	}
	clear(b.waiters)
}

// since returns the messages with numbers above seq.
func (b *mailbox) since(seq uint64) []Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, m := range b.msgs {
		if m.Seq > seq {
			return append([]Message(nil), b.msgs[i:]...)
		}
	}
	return nil
}

// watch returns a channel that the next message closes.
func (b *mailbox) watch() chan struct{} {
	w := make(chan struct{})
	b.mu.Lock()
	b.waiters[w] = struct{}{}
	b.mu.Unlock()
	return w
}

func (b *mailbox) unwatch(w chan struct{}) {
	b.mu.Lock()
	delete(b.waiters, w)
	b.mu.Unlock()
}

// Hub has a mailbox for each user.
type Hub struct {
	mu    sync.Mutex
	keep  int
	boxes map[string]*mailbox
}

func NewHub(keep int) *Hub {
	return &Hub{keep: keep, boxes: make(map[string]*mailbox)}
}

func (h *Hub) box(user string) *mailbox {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.boxes[user]
	if b == nil {
		b = &mailbox{keep: h.keep, waiters: make(map[chan struct{}]struct{})}
		h.boxes[user] = b
	}
	return b
}

// Send puts a message into the mailboxes of all recipients.
func (h *Hub) Send(from, text string, to ...string) error {
	if text == "" {
		return ErrEmpty
	}
	m := Message{From: from, Text: text, At: time.Now()}
	for _, user := range to {
		h.box(user).put(m)
	}
	return nil
}

// Peek returns what is there, without waiting.
func (h *Hub) Peek(user string, after uint64) []Message {
	return h.box(user).since(after)
}

// Poll returns the messages for a user with numbers above after. If there are
// none it waits until one comes or ctx is done.
func (h *Hub) Poll(ctx context.Context, user string, after uint64) ([]Message, error) {
	b := h.box(user)
	for {
		w := b.watch()
		if msgs := b.since(after); len(msgs) > 0 {
			b.unwatch(w)
			return msgs, nil
		}
		select {
		case <-w:
		case <-ctx.Done():
			b.unwatch(w)
			return nil, ctx.Err()
		}
	}
}
