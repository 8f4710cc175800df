package directory

import (
	"sync"
	"time"
)

type Profile struct {
	Name    string
	Email   string
	Logins  int
	LastSee time.Time
}

type account struct {
	lock    *sync.Mutex
	profile Profile
}

func (a *account) snapshot() Profile {
	a.lock.Lock()
	defer a.lock.Unlock()
	return a.profile
}

func (a *account) restore(p Profile) {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.profile = p
}

type Directory struct {
	mu       sync.RWMutex
	accounts map[int64]*account
	next     int64
}

func New() *Directory { return &Directory{accounts: make(map[int64]*account)} }

func (d *Directory) Create(p Profile) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next++
	d.accounts[d.next] = &account{lock: new(sync.Mutex), profile: p}
	return d.next
}

func (d *Directory) account(id int64) *account {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.accounts[id]
}

func (d *Directory) Login(id int64, at time.Time) (count int) {
	if a := d.account(id); a != nil {
		a.lock.Lock()
		defer a.lock.Unlock()
		a.profile.Logins++
		a.profile.LastSee = at
		count = a.profile.Logins
	}
	return count
}

func (d *Directory) Edit(id int64, change func(*Profile)) bool {
	a := d.account(id)
	if a == nil {
		return false
	}
	p := a.snapshot()
	change(&p)
	a.restore(p)
	return true
}

func (d *Directory) Get(id int64) (p Profile, ok bool) {
	if a := d.account(id); a != nil {
		return a.snapshot(), true
	}
	return p, false
}
