package window

import (
	"errors"
	"sync"
	"time"
)

var errUnknown = errors.New("unknown")

// Agenda has reminders, which are moved by being taken out and put in again.
type Agenda struct {
	mu   sync.Mutex
	byID map[string]*Reminder
	send func(*Reminder) error
}

type Reminder struct {
	id string
	at time.Time
}

func (a *Agenda) remove(id string) (*Reminder, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.byID[id]
	if !ok {
		return nil, errUnknown
	}
	delete(a.byID, id)
	return r, nil
}

func (a *Agenda) add(r *Reminder) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.byID[r.id] = r
}

// Cancel takes a reminder that is being moved for one that has fired.
func (a *Agenda) Cancel(id string) error {
	_, err := a.remove(id)
	return err
}

// Move is one update in two steps.
func (a *Agenda) Move(id string, at time.Time) error {
	r, err := a.remove(id)
	if err != nil {
		return err
	}
	r.at = at
	a.add(r) // want `split-write: a.byID\[.*\] is written here after .* was removed at line \d+, in an earlier critical section: in between .* finds nothing there, and takes it for gone`
	return nil
}

// MoveInOne is one section.
func (a *Agenda) MoveInOne(id string, at time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.byID[id]
	if !ok {
		return errUnknown
	}
	delete(a.byID, id)
	r.at = at
	a.byID[id] = r
	return nil
}

// Send takes a reminder out in order to send it, and puts it in again if that fails.
func (a *Agenda) Send(id string) error {
	r, err := a.remove(id)
	if err != nil {
		return err
	}
	if err := a.send(r); err != nil {
		a.add(r)
		return err
	}
	return nil
}

// A Depot has items on shelves.
type Depot struct {
	mu      sync.Mutex
	shelves map[string]map[string]bool
	orders  []string
}

func (d *Depot) take(item, from string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.shelves[from][item] {
		return false
	}
	delete(d.shelves[from], item)
	return true
}

func (d *Depot) put(item, to string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shelves[to][item] = true
}

// Move leaves the item on no shelf for a while.
func (d *Depot) Move(item, from, to string) {
	if d.take(item, from) {
		d.put(item, to) // want `split-write: d.shelves\[to\]\[item\] is written here after d.shelves\[from\]\[item\] was removed`
	}
}

// Swap puts another item in its place.
func (d *Depot) Swap(item, other, at string) {
	if d.take(item, at) {
		d.put(other, at)
	}
}

// Ensure orders what is not there.
func (d *Depot) Ensure(item string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.shelves {
		if s[item] {
			return
		}
	}
	d.orders = append(d.orders, item)
}

func (d *Depot) AddShelf(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shelves[name] = make(map[string]bool)
}

// Order gives up if there is none.
func (d *Depot) Order(item, from string) error {
	if !d.take(item, from) {
		return errUnknown
	}
	return nil
}

// MoveFar makes the entry far away.
func (d *Depot) MoveFar(item, from, to string) {
	if d.take(item, from) {
		d.far(item, to) // want `split-write: d.shelves\[to\]\[item\] is written here .* \[medium confidence: `
	}
}

func (d *Depot) note(n int)               { d.orders = d.orders[:n] }
func (d *Depot) far(item, to string)      { d.farther(item, to); d.note(0) }
func (d *Depot) farther(item, to string)  { d.note(1); d.farthest(item, to) }
func (d *Depot) farthest(item, to string) { d.last(item, to); d.note(2) }
func (d *Depot) last(item, to string)     { d.note(3); d.put(item, to) }

// Works have a job in one of two tables, or on its way.
type Works struct {
	mu      sync.Mutex
	waiting map[string]*Job
	moving  map[string]bool
}

type Job struct{ rank int }

func (w *Works) take(id string) *Job {
	w.mu.Lock()
	defer w.mu.Unlock()
	j := w.waiting[id]
	if j != nil {
		delete(w.waiting, id)
		w.moving[id] = true
	}
	return j
}

func (w *Works) put(id string, j *Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting[id] = j
	delete(w.moving, id)
}

// Start notes that the job is on its way, which Cancel asks for.
func (w *Works) Start(id string) {
	if j := w.take(id); j != nil {
		j.rank++
		w.put(id, j)
	}
}

func (w *Works) Cancel(id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.moving[id] {
		return nil
	}
	if w.waiting[id] == nil {
		return errUnknown
	}
	delete(w.waiting, id)
	return nil
}

// A Store lets one at a time have an item: who finds none comes again.
type Store struct {
	mu    sync.Mutex
	items map[string]*Item
}

type Item struct{ n int }

func (s *Store) checkOut(k string) (*Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	it, ok := s.items[k]
	if !ok {
		return nil, errUnknown
	}
	delete(s.items, k)
	return it, nil
}

func (s *Store) checkIn(k string, it *Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[k] = it
}

func (s *Store) Inc(k string) error {
	it, err := s.checkOut(k)
	if err != nil {
		return err
	}
	it.n++
	s.checkIn(k, it)
	return nil
}

func (s *Store) Dec(k string) error {
	it, err := s.checkOut(k)
	if err != nil {
		return err
	}
	it.n--
	s.checkIn(k, it)
	return nil
}

// Rooms have members; a room is made for the first one.
type Rooms struct {
	mu    sync.Mutex
	rooms map[string]map[string]bool
}

func (r *Rooms) leave(room, who string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.rooms[room], who)
}

func (r *Rooms) join(room, who string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, ok := r.rooms[room]
	if !ok {
		m = make(map[string]bool)
		r.rooms[room] = m
	}
	m[who] = true
}

// Switch is seen by nobody who looks for a member.
func (r *Rooms) Switch(who, from, to string) {
	r.leave(from, who)
	r.join(to, who)
}

// A Registry has sessions; a new one takes the place of the old one.
type Registry struct {
	mu  sync.Mutex
	all map[string]*Sess
}

type Sess struct{ user string }

func (r *Registry) logout(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, id)
}

func (r *Registry) login(id, user string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[id] = &Sess{user}
}

func (r *Registry) Relogin(id, user string) {
	r.logout(id)
	r.login(id, user)
}

func (r *Registry) Find(id string) (*Sess, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.all[id]
	if !ok {
		return nil, errUnknown
	}
	return s, nil
}
