// Package rollout places instances on nodes and tells the proxies where they
// listen.
package rollout

import (
	"context"
	"log"
)

// Report is what a node agent says about an instance.
type Report struct {
	ID       string
	Attempt  int
	Healthy  bool
	Endpoint Endpoint
}

// Agents starts instances on nodes. The outcome arrives as a Report.
type Agents interface {
	Launch(ctx context.Context, node, id string, attempt int) error
}

// Controller is the rollout controller. Its exported methods may be called
// from any goroutine; the proxies sit in Resolve while a rollout is under way.
type Controller struct {
	agents Agents
	board  *board
}

// New returns a controller that consumes reports until the channel is closed.
func New(agents Agents, reports <-chan Report) *Controller {
	c := &Controller{agents: agents, board: newBoard()}
	go func() {
		for r := range reports {
			c.apply(r)
		}
	}()
	return c
}

// Place starts an instance on a node, or moves it there.
func (c *Controller) Place(ctx context.Context, id, node string) error {
	attempt := c.board.place(id, node)
	if err := c.agents.Launch(ctx, node, id, attempt); err != nil {
		c.setPhase(id, attempt, Failed)
		return err
	}
	return nil
}

// Remove forgets an instance.
func (c *Controller) Remove(id string) { c.board.remove(id) }

// Resolve waits until the instance is up and returns where it listens.
func (c *Controller) Resolve(ctx context.Context, id string) (Endpoint, error) {
	return c.board.await(ctx, id)
}

// Endpoints returns the endpoints of all instances that are up.
func (c *Controller) Endpoints() map[string]Endpoint { return c.board.ready() }

// apply takes over what an agent reported.
func (c *Controller) apply(r Report) {
	if !r.Healthy {
		c.setPhase(r.ID, r.Attempt, Failed)
		return
	}
	if !c.setReady(r.ID, r.Attempt, r.Endpoint) {
		log.Printf("rollout: %s: late report of attempt %d", r.ID, r.Attempt)
	}
}

func (c *Controller) setPhase(id string, attempt int, p Phase) bool {
	return c.board.update(id, attempt, func(in *instance) { in.phase = p })
}

func (c *Controller) setReady(id string, attempt int, ep Endpoint) bool {
	return c.board.update(id, attempt, func(in *instance) {
		in.endpoint = ep
		in.phase = Ready
	})
}
