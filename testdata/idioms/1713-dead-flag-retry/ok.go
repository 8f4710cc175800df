package a

import (
	"errors"
	"sync"
	"time"
)

// Message is one text for a pager.
type Message struct {
	Text string
	At   time.Time
}

type mailbox struct {
	mu     sync.Mutex
	msgs   []Message
	used   time.Time
	retire bool // set when the box has been taken out of the map
}

// Post keeps the messages of pagers until they are collected.
type Post struct {
	limit int

	mu    sync.Mutex
	boxes map[string]*mailbox
}

// NewPost returns a post office with at most limit messages a box.
func NewPost(limit int) *Post {
	return &Post{limit: limit, boxes: make(map[string]*mailbox)}
}

func (p *Post) box(pager string) *mailbox {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, ok := p.boxes[pager]
	if !ok {
		b = &mailbox{used: time.Now()}
		p.boxes[pager] = b
	}
	return b
}

// hold returns the pager's box with its lock held.
func (p *Post) hold(pager string) *mailbox {
	for {
		b := p.box(pager)
		b.mu.Lock()
		if !b.retire {
			return b
		}
		b.mu.Unlock()
	}
}

// Deliver puts a message into the pager's box.
func (p *Post) Deliver(pager, text string) error {
	b := p.hold(pager)
	defer b.mu.Unlock()
	if len(b.msgs) >= p.limit {
		return errors.New("post: box is full")
	}
	b.used = time.Now()
	b.msgs = append(b.msgs, Message{Text: text, At: b.used})
	return nil
}

// Collect empties the pager's box.
func (p *Post) Collect(pager string) []Message {
	b := p.hold(pager)
	defer b.mu.Unlock()
	out := b.msgs
	b.msgs, b.used = nil, time.Now()
	return out
}

// Trim drops the empty boxes that were not used since the given time.
func (p *Post) Trim(since time.Time) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for pager, b := range p.boxes {
		b.mu.Lock()
		if len(b.msgs) == 0 && b.used.Before(since) {
			b.retire = true
			delete(p.boxes, pager)
			n++
		}
		b.mu.Unlock()
	}
	return n
}
