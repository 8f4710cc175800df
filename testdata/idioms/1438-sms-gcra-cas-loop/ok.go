package a

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

var ErrTooFast = errors.New("sms: rate limit")

// pacer spaces events by interval and lets burst of them through at once.
// due is the time, in nanoseconds, at which the next event would be on time.
type pacer struct {
	interval int64
	slack    int64
	due      atomic.Int64
}

func newPacer(interval time.Duration, burst int) *pacer {
	return &pacer{
		interval: int64(interval),
		slack:    int64(interval) * int64(burst-1),
	}
}

// allow books n events at once or none.
func (p *pacer) allow(now time.Time, n int) bool {
	t := now.UnixNano()
	for {
		due := p.due.Load()
		start := max(due, t)
		next := start + int64(n)*p.interval
		if next-p.interval-t > p.slack {
			return false
		}
		if p.due.CompareAndSwap(due, next) {
			return true
		}
	}
}

// wait tells how long until one event may pass; the answer is advice for a
// Retry-After header.
func (p *pacer) wait(now time.Time) time.Duration {
	return time.Duration(max(0, p.due.Load()-p.slack-now.UnixNano()))
}

// Carrier sends the segments of one message.
type Carrier interface {
	Send(ctx context.Context, to string, segments []string) error
}

// Gateway sends text messages at the rate that each carrier allows.
type Gateway struct {
	carriers map[string]Carrier
	pacers   sync.Map // carrier name -> *pacer
}

func NewGateway(carriers map[string]Carrier) *Gateway {
	return &Gateway{carriers: carriers}
}

func (g *Gateway) pacer(name string) *pacer {
	if p, ok := g.pacers.Load(name); ok {
		return p.(*pacer)
	}
	p, _ := g.pacers.LoadOrStore(name, newPacer(100*time.Millisecond, 40))
	return p.(*pacer)
}

func split(text string) []string {
	var out []string
	for len(text) > 153 {
		out = append(out, text[:153])
		text = text[153:]
	}
	return append(out, text)
}

// Send delivers a message unless the carrier's limit is reached.
func (g *Gateway) Send(ctx context.Context, carrier, to, text string) error {
	c, ok := g.carriers[carrier]
	if !ok {
		return fmt.Errorf("sms: unknown carrier %q", carrier)
	}
	segments := split(text)
	if !g.pacer(carrier).allow(time.Now(), len(segments)) {
		return ErrTooFast
	}
	return c.Send(ctx, to, segments)
}

func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	carrier := r.FormValue("carrier")
	err := g.Send(r.Context(), carrier, r.FormValue("to"), r.FormValue("text"))
	switch {
	case errors.Is(err, ErrTooFast):
		secs := int(g.pacer(carrier).wait(time.Now()).Seconds()) + 1
		w.Header().Set("Retry-After", fmt.Sprint(secs))
		http.Error(w, err.Error(), http.StatusTooManyRequests)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}
