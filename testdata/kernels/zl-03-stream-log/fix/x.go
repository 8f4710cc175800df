// Package fix is the in-memory log of one stream of a message broker.
package fix

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"sort"
	"sync"
)

var ErrSealed = errors.New("stream: sealed")

// Message is one stored message. Sequences start at 1.
type Message struct {
	Seq     uint64
	Subject string
	body    []byte
}

// Payload unpacks the body.
func (m Message) Payload() ([]byte, error) {
	return io.ReadAll(flate.NewReader(bytes.NewReader(m.body)))
}

// Stream is an append-only log which consumers read with a cursor.
type Stream struct {
	sync.RWMutex
	last   uint64
	log    []Message
	sealed bool
	more   chan struct{}
}

func NewStream() *Stream {
	return &Stream{more: make(chan struct{})}
}

func pack(p []byte) ([]byte, error) {
	var buf bytes.Buffer
	w, err := flate.NewWriter(&buf, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(p); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func (s *Stream) store(m Message) (uint64, error) {
	s.Lock()
	defer s.Unlock()
	if s.sealed {
		return 0, ErrSealed
	}
	s.last++
	m.Seq = s.last
	s.log = append(s.log, m)
	close(s.more)
	s.more = make(chan struct{})
	return m.Seq, nil
}

// Publish stores a message and returns its sequence.
func (s *Stream) Publish(subject string, payload []byte) (uint64, error) {
	body, err := pack(payload)
	if err != nil {
		return 0, err
	}
	return s.store(Message{Subject: subject, body: body})
}

// after returns up to max messages behind seq, and a channel that is closed
// by the next message.
func (s *Stream) after(seq uint64, max int) ([]Message, <-chan struct{}) {
	s.RLock()
	defer s.RUnlock()
	i := sort.Search(len(s.log), func(i int) bool { return s.log[i].Seq > seq })
	n := min(len(s.log)-i, max)
	return append([]Message(nil), s.log[i:i+n]...), s.more
}

// Purge drops all messages up to and including seq.
func (s *Stream) Purge(seq uint64) int {
	s.Lock()
	defer s.Unlock()
	i := sort.Search(len(s.log), func(i int) bool { return s.log[i].Seq > seq })
	s.log = append([]Message(nil), s.log[i:]...)
	return i
}

// Seal refuses further messages.
func (s *Stream) Seal() {
	s.Lock()
	s.sealed = true
	s.Unlock()
}

// Consumer reads a stream; it belongs to one goroutine.
type Consumer struct {
	s      *Stream
	cursor uint64
}

func (s *Stream) Consumer(from uint64) *Consumer {
	return &Consumer{s: s, cursor: from}
}

// Fetch waits for messages behind the cursor and moves it.
func (c *Consumer) Fetch(max int, stop <-chan struct{}) []Message {
	for {
		msgs, more := c.s.after(c.cursor, max)
		if len(msgs) > 0 {
			c.cursor = msgs[len(msgs)-1].Seq
			return msgs
		}
		select {
		case <-more:
		case <-stop:
			return nil
		}
	}
}
