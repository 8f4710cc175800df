package stream

import (
	"context"
	"errors"
	"log/slog"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// ErrTooLarge is returned for a payload over the limit of the stream.
var ErrTooLarge = errors.New("stream: payload too large")

// Message is a stored message.
type Message struct {
	Seq     uint64
	Subject string
	At      time.Time
	Data    []byte
}

// messageLog keeps messages in the order of their sequence.
type messageLog struct {
	mu    sync.RWMutex
	msgs  []Message
	bytes int
	grown chan struct{}
}

func (l *messageLog) append(m Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.msgs = append(l.msgs, m)
	l.bytes += len(m.Data)
	close(l.grown)
	l.grown = make(chan struct{})
}

// after returns up to limit messages behind seq, and a channel that is closed
// when there are more.
func (l *messageLog) after(seq uint64, limit int) ([]Message, <-chan struct{}) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	i := sort.Search(len(l.msgs), func(i int) bool { return l.msgs[i].Seq > seq })
	j := min(i+limit, len(l.msgs))
	return append([]Message(nil), l.msgs[i:j]...), l.grown
}

// trim drops the oldest messages until the log is below maxBytes.
func (l *messageLog) trim(maxBytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for n < len(l.msgs) && l.bytes > maxBytes {
		l.bytes -= len(l.msgs[n].Data)
		n++
	}
	l.msgs = append([]Message(nil), l.msgs[n:]...)
}

// Config of a Stream.
type Config struct {
	Name       string
	MaxPayload int
	MaxBytes   int
}

// Stream is a durable subject with consumers.
type Stream struct {
	cfg Config
	log messageLog
	pub sync.Mutex
	seq atomic.Uint64
}

// Open returns a stream whose retention runs until ctx is done.
func Open(ctx context.Context, cfg Config) *Stream {
	s := &Stream{cfg: cfg, log: messageLog{grown: make(chan struct{})}}
	go func() {
		t := time.NewTicker(time.Minute)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				s.log.trim(cfg.MaxBytes)
			}
		}
	}()
	return s
}

// Publish stores a message and returns its sequence. It is called from the
// connections of all publishers.
func (s *Stream) Publish(subject string, data []byte) (uint64, error) {
	if len(data) > s.cfg.MaxPayload {
		return 0, ErrTooLarge
	}
	s.pub.Lock()
	defer s.pub.Unlock()
	seq := s.seq.Add(1)
	s.log.append(Message{
		Seq:     seq,
		Subject: subject,
		At:      time.Now(),
		Data:    data,
	})
	return seq, nil
}

// LastSeq returns the newest sequence.
func (s *Stream) LastSeq() uint64 { return s.seq.Load() }

// Consumer follows a stream from a cursor.
type Consumer struct {
	s       *Stream
	cursor  uint64
	deliver func(context.Context, Message) error
}

// Consume starts a consumer behind the given sequence.
func (s *Stream) Consume(ctx context.Context, after uint64, deliver func(context.Context, Message) error) {
	c := &Consumer{s: s, cursor: after, deliver: deliver}
	go c.loop(ctx)
}

func (c *Consumer) loop(ctx context.Context) {
	for {
		msgs, grown := c.s.log.after(c.cursor, 64)
		for _, m := range msgs {
			if err := c.deliver(ctx, m); err != nil {
				slog.Error("stream: consumer stopped", "stream", c.s.cfg.Name, "seq", m.Seq, "err", err)
				return
			}
			c.cursor = m.Seq
		}
		if len(msgs) > 0 {
			continue
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return
		}
	}
}
