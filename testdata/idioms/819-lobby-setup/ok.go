// Package lobby is where players of a board game service meet before a match.
package lobby

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
)

var (
	ErrNameTaken = errors.New("lobby: name is taken")
	ErrNoTable   = errors.New("lobby: no such table")
	ErrFull      = errors.New("lobby: table is full")
	ErrSeated    = errors.New("lobby: player sits at the table already")
	ErrNotHost   = errors.New("lobby: only the host may do that")
)

// Options are the settings of a table.
type Options struct {
	Seats   int
	Variant string
	Rules   map[string]bool
}

// Table is a group of players that want to play together. It is safe for
// concurrent use.
type Table struct {
	Name string

	mu      sync.Mutex
	seats   int
	variant string
	rules   map[string]bool
	host    string
	players []string
}

func newTable(name string) *Table {
	return &Table{Name: name, seats: 2, variant: "standard", rules: make(map[string]bool)}
}

// seat adds a player.
func (t *Table) seat(player string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.Contains(t.players, player) {
		return ErrSeated
	}
	if len(t.players) >= t.seats {
		return ErrFull
	}
	t.players = append(t.players, player)
	return nil
}

func (t *Table) resize(seats int) {
	t.mu.Lock()
	t.seats = seats
	t.mu.Unlock()
}

func (t *Table) setVariant(v string) {
	t.mu.Lock()
	t.variant = v
	t.mu.Unlock()
}

func (t *Table) setRule(rule string, on bool) {
	t.mu.Lock()
	t.rules[rule] = on
	t.mu.Unlock()
}

func (t *Table) setHost(player string) {
	t.mu.Lock()
	t.host = player
	t.mu.Unlock()
}

// hasSeats reports how many players the table takes.
func (t *Table) hasSeats() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seats
}

// Kick removes a player on behalf of the host.
func (t *Table) Kick(by, player string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if by != t.host {
		return ErrNotHost
	}
	t.players = slices.DeleteFunc(t.players, func(p string) bool { return p == player && p != t.host })
	return nil
}

// Info describes a table.
type Info struct {
	Name    string          `json:"name"`
	Host    string          `json:"host"`
	Variant string          `json:"variant"`
	Rules   map[string]bool `json:"rules"`
	Players []string        `json:"players"`
	Seats   int             `json:"seats"`
}

// Info returns the description of the table.
func (t *Table) Info() Info {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Info{t.Name, t.host, t.variant, maps.Clone(t.rules), slices.Clone(t.players), t.seats}
}

// Lobby is a set of tables. It is safe for concurrent use.
type Lobby struct {
	mu     sync.RWMutex
	tables map[string]*Table
}

// New returns an empty lobby.
func New() *Lobby { return &Lobby{tables: make(map[string]*Table)} }

// Create sets up a table with host sitting at it.
func (l *Lobby) Create(name, host string, o Options) (*Table, error) {
	t := newTable(name)
	if o.Seats > t.hasSeats() {
		t.resize(o.Seats)
	}
	if o.Variant != "" {
		t.setVariant(o.Variant)
	}
	for rule, on := range o.Rules {
		t.setRule(rule, on)
	}
	if err := t.seat(host); err != nil {
		return nil, err
	}
	t.setHost(host)
	if err := l.add(t); err != nil {
		return nil, err
	}
	return t, nil
}

// add makes a table known to the players.
func (l *Lobby) add(t *Table) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, taken := l.tables[t.Name]; taken {
		return ErrNameTaken
	}
	l.tables[t.Name] = t
	return nil
}

// Table returns the table of that name.
func (l *Lobby) Table(name string) (*Table, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	t, ok := l.tables[name]
	if !ok {
		return nil, ErrNoTable
	}
	return t, nil
}

// ServeHTTP creates tables on POST, joins them on PUT and shows them on GET.
func (l *Lobby) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, player := r.FormValue("table"), r.Header.Get("X-Player")
	var t *Table
	var err error
	switch r.Method {
	case http.MethodPost:
		t, err = l.Create(name, player, Options{Variant: r.FormValue("variant")})
	case http.MethodPut:
		if t, err = l.Table(name); err == nil {
			err = t.seat(player)
		}
	default:
		t, err = l.Table(name)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	_ = json.NewEncoder(w).Encode(t.Info())
}
