// Package streams keeps the streams of an account and enforces its limits.
package streams

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	ErrTooManyStreams = errors.New("streams: maximum number of streams reached")
	ErrNoStorage      = errors.New("streams: insufficient storage for account")
	ErrStreamExists   = errors.New("streams: name already in use")
	ErrStreamNotFound = errors.New("streams: stream not found")
	ErrStreamFull     = errors.New("streams: stream is full")
)

// Limits are set by the operator. They bound what one account may reserve
// on this server.
type Limits struct {
	MaxStreams int
	MaxBytes   int64
}

// Config describes one stream.
type Config struct {
	Name     string
	MaxBytes int64
	MaxAge   time.Duration
}

// Account owns a set of streams.
type Account struct {
	name string

	mu       sync.RWMutex
	limits   Limits
	streams  map[string]*Stream
	reserved int64
}

// NewAccount returns an account without streams.
func NewAccount(name string, limits Limits) *Account {
	return &Account{name: name, limits: limits, streams: make(map[string]*Stream)}
}

// UpdateLimits replaces the limits. Streams that exist already are kept.
func (a *Account) UpdateLimits(l Limits) {
	a.mu.Lock()
	a.limits = l
	a.mu.Unlock()
}

func (a *Account) checkLimits(cfg Config) error {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.checkLimitsLocked(cfg)
}

func (a *Account) checkLimitsLocked(cfg Config) error {
	if a.limits.MaxStreams > 0 && len(a.streams) >= a.limits.MaxStreams {
		return ErrTooManyStreams
	}
	if a.limits.MaxBytes > 0 && a.reserved+cfg.MaxBytes > a.limits.MaxBytes {
		return ErrNoStorage
	}
	return nil
}

// AddStream creates a stream and reserves its storage. It is called by the
// API workers.
func (a *Account) AddStream(cfg Config) (*Stream, error) {
	if cfg.Name == "" || cfg.MaxBytes <= 0 {
		return nil, fmt.Errorf("streams: bad config for account %q", a.name)
	}
	if err := a.checkLimits(cfg); err != nil {
		return nil, err
	}
	s := newStream(cfg)

	a.mu.Lock()
	if _, ok := a.streams[cfg.Name]; ok {
		a.mu.Unlock()
		return nil, ErrStreamExists
	}
	if err := a.checkLimitsLocked(cfg); err != nil {
		a.mu.Unlock()
		return nil, err
	}
	a.streams[cfg.Name] = s
	a.reserved += cfg.MaxBytes
	a.mu.Unlock()

	go s.expireLoop()
	return s, nil
}

// DeleteStream removes a stream and gives its reservation back.
func (a *Account) DeleteStream(name string) error {
	a.mu.Lock()
	s, ok := a.streams[name]
	if !ok {
		a.mu.Unlock()
		return ErrStreamNotFound
	}
	delete(a.streams, name)
	a.reserved -= s.cfg.MaxBytes
	a.mu.Unlock()
	close(s.quit)
	return nil
}

// Reserved returns the bytes reserved by all streams.
func (a *Account) Reserved() int64 {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.reserved
}

type message struct {
	at   time.Time
	data []byte
}

// Stream is a bounded list of messages.
type Stream struct {
	cfg  Config
	quit chan struct{}

	mu    sync.Mutex
	msgs  []message
	bytes int64
}

func newStream(cfg Config) *Stream {
	return &Stream{cfg: cfg, quit: make(chan struct{})}
}

// Publish appends one message.
func (s *Stream) Publish(data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes+int64(len(data)) > s.cfg.MaxBytes {
		return ErrStreamFull
	}
	s.msgs = append(s.msgs, message{at: time.Now(), data: data})
	s.bytes += int64(len(data))
	return nil
}

func (s *Stream) expireLoop() {
	if s.cfg.MaxAge <= 0 {
		return
	}
	t := time.NewTicker(s.cfg.MaxAge/2 + time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-s.quit:
			return
		case now := <-t.C:
			s.expire(now.Add(-s.cfg.MaxAge))
		}
	}
}

func (s *Stream) expire(before time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for n < len(s.msgs) && s.msgs[n].at.Before(before) {
		s.bytes -= int64(len(s.msgs[n].data))
		n++
	}
	s.msgs = append([]message(nil), s.msgs[n:]...)
}
