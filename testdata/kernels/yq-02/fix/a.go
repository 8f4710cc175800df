package a

import (
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// cell is a value behind a lock of its own.
type cell[T any] struct {
	mu sync.RWMutex
	v  T
}

func (c *cell[T]) Get() T {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.v
}

func (c *cell[T]) Set(v T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.v = v
}

func (c *cell[T]) Update(f func(T) (T, error)) (T, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next, err := f(c.v)
	if err != nil {
		return c.v, err
	}
	c.v = next
	return next, nil
}

// Account is what a member of the loyalty program sees.
type Account struct {
	Points   int       `json:"points"`
	Lifetime int       `json:"lifetime"`
	Tier     string    `json:"tier"`
	Seen     time.Time `json:"seen"`
}

var ErrPoints = errors.New("loyalty: not enough points")

// Bonus tells the factor by which purchases in a category count.
type Bonus func(category string) int

// Program keeps the accounts of all members.
type Program struct {
	bonus Bonus

	mu      sync.Mutex
	members map[string]*cell[Account]
}

func NewProgram(b Bonus) *Program {
	return &Program{bonus: b, members: make(map[string]*cell[Account])}
}

func (p *Program) member(id string) *cell[Account] {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.members[id]
	if !ok {
		c = new(cell[Account])
		c.Set(Account{Tier: "blue"})
		p.members[id] = c
	}
	return c
}

func tier(lifetime int) string {
	switch {
	case lifetime >= 50000:
		return "gold"
	case lifetime >= 10000:
		return "silver"
	}
	return "blue"
}

// Earn books the points for a purchase of the given amount.
func (p *Program) Earn(id, category string, cents int) Account {
	c := p.member(id)
	points := cents / 100 * p.bonus(category)
	a, _ := c.Update(func(a Account) (Account, error) {
		a.Points += points
		a.Lifetime += points
		if t := tier(a.Lifetime); t != a.Tier {
			log.Printf("loyalty: %s is %s now", id, t)
			a.Tier = t
		}
		a.Seen = time.Now()
		return a, nil
	})
	return a
}

// Redeem takes points out of the account.
func (p *Program) Redeem(id string, points int) (Account, error) {
	return p.member(id).Update(func(a Account) (Account, error) {
		if points <= 0 || a.Points < points {
			return a, ErrPoints
		}
		a.Points -= points
		a.Seen = time.Now()
		return a, nil
	})
}

// Lookup shows an account.
func (p *Program) Lookup(id string) Account {
	return p.member(id).Get()
}

// Handler serves the tills of the shops.
func (p *Program) Handler() http.Handler {
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, a Account) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(a); err != nil {
			log.Print(err)
		}
	}
	mux.HandleFunc("GET /members/{id}", func(w http.ResponseWriter, r *http.Request) {
		reply(w, p.Lookup(r.PathValue("id")))
	})
	mux.HandleFunc("POST /members/{id}/purchases", func(w http.ResponseWriter, r *http.Request) {
		cents, err := strconv.Atoi(r.FormValue("cents"))
		if err != nil || cents < 0 {
			http.Error(w, "bad amount", http.StatusBadRequest)
			return
		}
		reply(w, p.Earn(r.PathValue("id"), r.FormValue("category"), cents))
	})
	mux.HandleFunc("POST /members/{id}/rewards", func(w http.ResponseWriter, r *http.Request) {
		points, _ := strconv.Atoi(r.FormValue("points"))
		a, err := p.Redeem(r.PathValue("id"), points)
		if err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		reply(w, a)
	})
	return mux
}
