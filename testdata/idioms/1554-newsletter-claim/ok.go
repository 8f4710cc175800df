package a

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"sync"
	"time"
)

type Sender interface {
	Send(ctx context.Context, addr, campaign string) error
}

type contact struct {
	addr   string
	joined time.Time
	sent   map[string]bool // campaign
}

// Newsletter sends campaigns to its contacts, each at most once.
type Newsletter struct {
	sender  Sender
	workers int

	mu       sync.RWMutex
	contacts map[string]*contact
	failed   int
}

func NewNewsletter(s Sender, workers int) *Newsletter {
	return &Newsletter{sender: s, workers: max(workers, 1), contacts: make(map[string]*contact)}
}

func (n *Newsletter) Subscribe(addr string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, ok := n.contacts[addr]; !ok {
		n.contacts[addr] = &contact{addr: addr, joined: time.Now(), sent: make(map[string]bool)}
	}
}

func (n *Newsletter) Unsubscribe(addr string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, ok := n.contacts[addr]
	delete(n.contacts, addr)
	return ok
}

// open lists the contacts that did not get the campaign so far.
func (n *Newsletter) open(campaign string) []string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	var out []string
	for addr, c := range n.contacts {
		if !c.sent[campaign] {
			out = append(out, addr)
		}
	}
	return out
}

// claim marks the campaign as sent to the contact.
func (n *Newsletter) claim(addr, campaign string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	c, ok := n.contacts[addr]
	if !ok || c.sent[campaign] {
		return false
	}
	c.sent[campaign] = true
	return true
}

func (n *Newsletter) deliver(ctx context.Context, addr, campaign string) {
	if !n.claim(addr, campaign) {
		return
	}
	if err := n.sender.Send(ctx, addr, campaign); err != nil {
		log.Printf("newsletter: %s: %v", addr, err)
		n.mu.Lock()
		n.failed++
		n.mu.Unlock()
	}
}

// Run sends a campaign to everybody who still needs it. It may be started
// again after an interruption, even while an earlier run is still busy.
func (n *Newsletter) Run(ctx context.Context, campaign string) {
	todo := make(chan string)
	var wg sync.WaitGroup
	for range n.workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for addr := range todo {
				n.deliver(ctx, addr, campaign)
			}
		}()
	}
	for _, addr := range n.open(campaign) {
		if ctx.Err() != nil {
			break
		}
		todo <- addr
	}
	close(todo)
	wg.Wait()
}

func (n *Newsletter) HandleStart(w http.ResponseWriter, r *http.Request) {
	campaign := r.FormValue("campaign")
	if campaign == "" {
		http.Error(w, "campaign is missing", http.StatusBadRequest)
		return
	}
	go n.Run(context.WithoutCancel(r.Context()), campaign)
	w.WriteHeader(http.StatusAccepted)
}

func (n *Newsletter) HandleFailed(w http.ResponseWriter, _ *http.Request) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	fmt.Fprintln(w, n.failed)
}

func (n *Newsletter) HandleUnsubscribe(w http.ResponseWriter, r *http.Request) {
	if !n.Unsubscribe(r.FormValue("addr")) {
		http.NotFound(w, r)
		return
	}
	fmt.Fprintln(w, "unsubscribed")
}
