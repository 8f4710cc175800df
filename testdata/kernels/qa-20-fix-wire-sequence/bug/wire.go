// Package fixwire is the session layer of a FIX connection to an exchange.
package fixwire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// MsgType is tag 35.
type MsgType string

const (
	Heartbeat   MsgType = "0"
	NewOrder    MsgType = "D"
	CancelOrder MsgType = "F"
)

// Field is a tag with its value.
type Field struct {
	Tag   int
	Value string
}

// Journal keeps sent messages for resend requests.
type Journal interface {
	Append(seq uint64, raw string) error
}

// ErrDisconnected is returned after the connection broke.
var ErrDisconnected = errors.New("fixwire: disconnected")

// sequence hands out MsgSeqNum.
type sequence struct {
	mu   sync.Mutex
	next uint64
}

func (s *sequence) take() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.next
	s.next++
	return n
}

// wire is the byte stream to the counterparty.
type wire struct {
	mu     sync.Mutex
	w      *bufio.Writer
	last   time.Time
	broken bool
}

func (w *wire) write(raw string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken {
		return ErrDisconnected
	}
	_, err := w.w.WriteString(raw)
	if err == nil {
		err = w.w.Flush()
	}
	if err != nil {
		w.broken = true
		return fmt.Errorf("%w: %v", ErrDisconnected, err)
	}
	w.last = time.Now()
	return nil
}

func (w *wire) idle() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.last)
}

// Session is a logged-on connection.
type Session struct {
	sender, target string
	heartbeat      time.Duration
	journal        Journal
	log            *slog.Logger

	seq  sequence
	wire wire
}

// NewSession continues a session at a sequence number.
func NewSession(sender, target string, next uint64, heartbeat time.Duration, w io.Writer, j Journal, log *slog.Logger) *Session {
	return &Session{sender: sender, target: target, heartbeat: heartbeat, journal: j, log: log,
		seq:  sequence{next: next},
		wire: wire{w: bufio.NewWriter(w), last: time.Now()}}
}

func (s *Session) encode(seq uint64, t MsgType, fields []Field) string {
	var body strings.Builder
	fmt.Fprintf(&body, "35=%s\x0149=%s\x0156=%s\x0134=%d\x0152=%s\x01",
		t, s.sender, s.target, seq, time.Now().UTC().Format("20060102-15:04:05.000"))
	for _, f := range fields {
		fmt.Fprintf(&body, "%d=%s\x01", f.Tag, f.Value)
	}
	head := fmt.Sprintf("8=FIX.4.4\x019=%d\x01", body.Len())
	sum := 0
	for _, c := range []byte(head + body.String()) {
		sum += int(c)
	}
	return fmt.Sprintf("%s%s10=%03d\x01", head, body.String(), sum%256)
}

// Send transmits an application or session message.
func (s *Session) Send(t MsgType, fields ...Field) error {
	n := s.seq.take()
	raw := s.encode(n, t, fields)
	if err := s.journal.Append(n, raw); err != nil {
		return fmt.Errorf("journal %d: %w", n, err)
	}
	return s.wire.write(raw)
}

// Run sends heartbeats until ctx is done or the connection breaks.
func (s *Session) Run(ctx context.Context) error {
	tick := time.NewTicker(s.heartbeat / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if s.wire.idle() < s.heartbeat {
			continue
		}
		if err := s.Send(Heartbeat); err != nil {
			s.log.Error("heartbeat", "target", s.target, "err", err)
			return err
		}
	}
}

// Order is a limit order.
type Order struct {
	ID, Symbol string
	Side       byte
	Qty, Price string
}

// Gateway lets strategies, each on a goroutine of its own, trade on a session.
type Gateway struct{ session *Session }

// NewGateway returns a Gateway.
func NewGateway(s *Session) *Gateway { return &Gateway{session: s} }

// Place sends an order.
func (g *Gateway) Place(o Order) error {
	return g.session.Send(NewOrder, Field{11, o.ID}, Field{55, o.Symbol},
		Field{54, string(rune(o.Side))}, Field{38, o.Qty}, Field{44, o.Price})
}

// Cancel takes an order back.
func (g *Gateway) Cancel(id, orig string) error {
	return g.session.Send(CancelOrder, Field{11, id}, Field{41, orig})
}
