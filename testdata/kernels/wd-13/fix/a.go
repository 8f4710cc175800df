// Package a negotiates the sample rate of an audio stream.
package a

import (
	"errors"
	"slices"
	"sync"
	"time"
)

var (
	ErrClosed = errors.New("audio: stream is closed")
	ErrRate   = errors.New("audio: rate is not supported")
)

// Stream is an audio device that may change its rate while it is open.
type Stream struct {
	rates []int // supported rates, set at construction

	mu      sync.Mutex
	changed *sync.Cond
	rate    int
	closed  bool
}

// Open returns a stream that runs at the first of the supported rates.
func Open(rates ...int) (*Stream, error) {
	if len(rates) == 0 {
		return nil, ErrRate
	}
	s := &Stream{rates: slices.Clone(rates), rate: rates[0]}
	s.changed = sync.NewCond(&s.mu)
	return s, nil
}

// SetRate is called by the driver after the hardware has switched.
func (s *Stream) SetRate(rate int) error {
	if !slices.Contains(s.rates, rate) {
		return ErrRate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.rate = rate
	s.changed.Broadcast()
	return nil
}

// AwaitRate blocks until the stream runs at the given rate.
func (s *Stream) AwaitRate(rate int) error {
	if !slices.Contains(s.rates, rate) {
		return ErrRate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		reached, err := s.reached(rate)
		if reached || err != nil {
			return err
		}
		s.changed.Wait()
	}
}

func (s *Stream) reached(rate int) (bool, error) {
	if s.closed {
		return false, ErrClosed
	}
	return s.rate == rate, nil
}

// Rate returns the present rate in hertz.
func (s *Stream) Rate() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rate
}

// Duration returns how long the frames play at the present rate.
func (s *Stream) Duration(frames int) time.Duration {
	return time.Duration(frames) * time.Second / time.Duration(s.Rate())
}

// Close ends the stream and wakes everybody who waits for a rate.
func (s *Stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.changed.Broadcast()
}
