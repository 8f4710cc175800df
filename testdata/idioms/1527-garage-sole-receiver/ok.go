// Package barrier runs the entry barriers of a garage. Free spaces are tokens in a
// channel.
package barrier

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

var ErrClosed = errors.New("barrier: out of service")

type space int

type ticket struct {
	Space  space
	Issued time.Time
	Full   bool
}

type arrival struct {
	plate string
	reply chan ticket
}

// Lamp shows the drivers whether there is room.
type Lamp interface {
	Show(free int)
}

type Garage struct {
	lamp     Lamp
	free     chan space // received from by serve only
	arrivals chan arrival
	done     chan struct{}
}

func New(ctx context.Context, spaces int, lamp Lamp) *Garage {
	g := &Garage{
		lamp:     lamp,
		free:     make(chan space, spaces),
		arrivals: make(chan arrival),
		done:     make(chan struct{}),
	}
	for i := range spaces {
		g.free <- space(i)
	}
	go g.serve(ctx)
	return g
}

func (g *Garage) serve(ctx context.Context) {
	defer close(g.done)
	refresh := time.NewTicker(time.Second)
	defer refresh.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-refresh.C:
			g.lamp.Show(len(g.free))
		case a := <-g.arrivals:
			a.reply <- g.admit()
		}
	}
}

func (g *Garage) hasRoom() bool { return len(g.free) > 0 }

// admit belongs to serve.
func (g *Garage) admit() ticket {
	if !g.hasRoom() {
		return ticket{Full: true}
	}
	s := <-g.free
	g.lamp.Show(len(g.free))
	return ticket{Space: s, Issued: time.Now()}
}

// Enter asks for a space; it does not wait for one to become free.
func (g *Garage) Enter(ctx context.Context, plate string) (ticket, error) {
	a := arrival{plate: plate, reply: make(chan ticket, 1)}
	select {
	case g.arrivals <- a:
		return <-a.reply, nil
	case <-g.done:
		return ticket{}, ErrClosed
	case <-ctx.Done():
		return ticket{}, ctx.Err()
	}
}

// Leave gives the space of the ticket back. The channel has room for all of them.
func (g *Garage) Leave(t ticket) {
	if !t.Full {
		g.free <- t.Space
	}
}

func (g *Garage) ServeEnter(w http.ResponseWriter, r *http.Request) {
	t, err := g.Enter(r.Context(), r.FormValue("plate"))
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case t.Full:
		http.Error(w, "full", http.StatusConflict)
	default:
		fmt.Fprintf(w, "space %d\n", t.Space)
	}
}
