// Package stream reads server-sent events.
package stream

import (
	"bufio"
	"io"
	"strings"
	"sync"
	"sync/atomic"
)

// Event is one event.
type Event struct {
	Type, Data string
}

// Stream is an open stream of events.
type Stream struct {
	body   io.ReadCloser
	events chan Event
	done   chan struct{}
	once   sync.Once
	seen   atomic.Int64
}

// Open reads events from body until it ends or the stream is closed.
func Open(body io.ReadCloser) *Stream {
	s := &Stream{
		body:   body,
		events: make(chan Event),
		done:   make(chan struct{}),
	}
	go s.read()
	return s
}

// Events returns the channel of the events. It is closed at the end.
func (s *Stream) Events() <-chan Event { return s.events }

// Seen returns the number of events that were delivered.
func (s *Stream) Seen() int64 { return s.seen.Load() }

// Close ends the stream. It may be called at any time, and more than once.
func (s *Stream) Close() (err error) {
	s.once.Do(func() {
		close(s.done)
		err = s.body.Close()
	})
	return err
}

func (s *Stream) read() {
	defer close(s.events)
	defer s.Close()
	var ev Event
	sc := bufio.NewScanner(s.body)
	for sc.Scan() {
		switch key, value, _ := strings.Cut(sc.Text(), ":"); key {
		case "event":
			ev.Type = strings.TrimSpace(value)
		case "data":
			ev.Data += strings.TrimPrefix(value, " ")
		case "":
			if value != "" {
				continue // a comment
			}
			select {
			case s.events <- ev:
				s.seen.Add(1)
			case <-s.done:
				return
			}
			ev = Event{}
		}
	}
}
