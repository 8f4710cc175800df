// Package keys has elements whose key is computed at each place anew.
package keys

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"sync/atomic"
)

var errThere = errors.New("is there")

type card struct {
	number uint32
	holder string
}

type desk struct {
	mu    sync.Mutex
	next  uint32
	cards map[uint32]*card
	seats map[seat]string
	names map[string]int
}

type seat struct{ row, place int }

func number(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()
}

var serial uint32

// ticket gives another number at each call.
func ticket(string) uint32 {
	serial++
	return serial
}

func (d *desk) has(n uint32) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cards[n] != nil
}

func (d *desk) add(c *card) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cards[c.number] = c
}

func (d *desk) fresh() uint32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next++
	return d.next
}

// Admit computes the key twice.
func (d *desk) Admit(name string) error {
	if d.has(number(name)) {
		return errThere
	}
	d.add(&card{number: number(name), holder: name}) // want `check-then-act: d.cards\[…\] was checked`
	return nil
}

// Draw asks for one number and takes another.
func (d *desk) Draw(name string) error {
	if d.has(ticket(name)) {
		return errThere
	}
	d.add(&card{number: ticket(name), holder: name})
	return nil
}

// Copy is given a card, and puts in a new one with the same number.
func (d *desk) Copy(c card) error {
	if d.has(c.number) {
		return errThere
	}
	d.add(&card{number: c.number}) // want `check-then-act: d.cards\[c.number\] was checked`
	return nil
}

// Issue gets the key back in what was made with it.
func (d *desk) Issue(n uint32, print func(uint32) (*card, error)) error {
	if d.has(n) {
		return errThere
	}
	c, err := print(n)
	if err != nil {
		return err
	}
	d.add(c) // want `check-then-act: d.cards\[n\] was checked`
	return nil
}

// Register prints in a callee.
func (d *desk) Register(n uint32, print func(uint32) *card) error {
	if d.has(n) {
		return errThere
	}
	d.printed(n, print) // want `check-then-act: d.cards\[n\] was checked`
	return nil
}

func (d *desk) printed(n uint32, print func(uint32) *card) { d.add(print(n)) }

// Invite asks about one card and gives out another one, with a number of its own.
func (d *desk) Invite(host uint32) error {
	if d.has(host) {
		return errThere
	}
	d.add(&card{number: d.fresh()})
	return nil
}

// Guest makes the new card by one that must be there.
func (d *desk) Guest(host uint32, print func(uint32) *card) error {
	if !d.has(host) {
		return errThere
	}
	d.add(print(host))
	return nil
}

func (d *desk) Remove(n uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.cards, n)
}

func (d *desk) isFree(row, place int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seats[seat{row, place}] == ""
}

func (d *desk) take(row, place int, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seats[seat{row: row, place: place}] = name
}

// Reserve has a struct key, put together in two callees.
func (d *desk) Reserve(row, place int, name string) {
	if d.isFree(row, place) {
		d.take(row, place, name) // want `check-then-act: d.seats\[…\] was checked`
	}
}

// ReserveNext checks one seat and takes the next.
func (d *desk) ReserveNext(row, place int, name string) {
	if d.isFree(row, place) {
		d.take(row, place+1, name)
	}
}

// Free makes seats free again.
func (d *desk) Free(s seat) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.seats, s)
}

func (d *desk) get(k []byte) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.names[string(k)]
}

func (d *desk) set(k []byte, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names[string(k)] = n
}

// Visit has keys that are converted inside.
func (d *desk) Visit(name string) {
	d.set([]byte(name), d.get([]byte(name))+1) // want `lost-update: d.names\[name\] was read`
}

// VisitBoth has two keys.
func (d *desk) VisitBoth(a, b []byte) {
	d.set(a, d.get(b))
}

func (d *desk) lookup(house, name string) int {
	key := fmt.Sprintf("%s/%s", house, strings.ToLower(name))
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.names[key]
}

func (d *desk) put(house, name string, n int) {
	key := fmt.Sprintf("%s/%s", house, strings.ToLower(name))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names[key] = n
}

// Count has a text key that both callees compute.
func (d *desk) Count(house, name string) {
	d.put(house, name, d.lookup(house, name)+1) // want `lost-update: d.names\[…\] was read`
}

// Swap exchanges house and name.
func (d *desk) Swap(house, name string) {
	d.put(name, house, d.lookup(house, name))
}

// A label is a key by its text, wherever that is.
type label struct{ name, value string }

type labels struct {
	ids  sync.Map // of label
	next atomic.Uint32
}

func (t *labels) get(l label) uint32 {
	v, ok := t.ids.Load(l)
	if !ok {
		return 0
	}
	return v.(uint32)
}

func (t *labels) put(l label, id uint32) { t.ids.Store(l, id) }

// ID puts in a copy of what it has looked for.
func (t *labels) ID(l label) uint32 {
	id := t.get(l)
	if id == 0 {
		id = t.next.Add(1)
		t.put(label{name: strings.Clone(l.name), value: strings.Clone(l.value)}, id) // want `check-then-act: t.ids\[l\] was checked`
	}
	return id
}

func (l label) clone() label {
	return label{name: strings.Clone(l.name), value: strings.Clone(l.value)}
}

func (l label) swap() label { return label{name: l.value, value: l.name} }

// Keep puts in a copy that a method makes.
func (t *labels) Keep(l label) uint32 {
	id := t.get(l)
	if id == 0 {
		id = t.next.Add(1)
		t.put(l.clone(), id) // want `check-then-act: t.ids\[l\] was checked`
	}
	return id
}

// Turned puts in another one, which a method makes.
func (t *labels) Turned(l label) uint32 {
	id := t.get(l)
	if id == 0 {
		id = t.next.Add(1)
		t.put(l.swap(), id)
	}
	return id
}

// Swapped puts in another one.
func (t *labels) Swapped(l label) uint32 {
	id := t.get(l)
	if id == 0 {
		id = t.next.Add(1)
		t.put(label{name: l.value, value: l.name}, id)
	}
	return id
}

type disk struct {
	mu   sync.Mutex
	data map[string][]byte
}

func (d *disk) get(k string) ([]byte, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v, ok := d.data[k]
	return v, ok
}

func (d *disk) put(k string, v []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.data[k] = v
}

// place fills an array of its own by a function of another package.
func place(device uint64, folder string) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], device)
	return "index/" + string(b[:]) + folder
}

// turn fills its array with another number at each call.
func turn(device uint64, folder string) string {
	var b [8]byte
	serial++
	binary.BigEndian.PutUint64(b[:], device+uint64(serial))
	return "index/" + string(b[:]) + folder
}

func (d *disk) epoch(device uint64, folder string) []byte {
	id, ok := d.get(place(device, folder))
	if !ok {
		id = []byte(folder)
		d.put(place(device, folder), id) // want `check-then-act: d\.data\[…\] was checked at line \d+, but d\.mu was released`
	}
	return id
}

func (d *disk) journal(device uint64, folder string) []byte {
	id, ok := d.get(turn(device, folder))
	if !ok {
		id = []byte(folder)
		d.put(turn(device, folder), id) // another element each time
	}
	return id
}

func printed(n uint32, holder string) (*card, error) {
	if holder == "" {
		return nil, errThere
	}
	return &card{number: n, holder: holder}, nil
}

// Publish gets a card that was made with the key.
func (d *desk) Publish(n uint32, holder string) error {
	if d.has(n) {
		return errThere
	}
	c, err := printed(n, holder)
	if err != nil {
		return err
	}
	d.add(c) // want `check-then-act: d.cards\[n\] was checked`
	return nil
}

// Renumber gives the card another number.
func (d *desk) Renumber(n uint32, holder string) error {
	if d.has(n) {
		return errThere
	}
	c, err := printed(n, holder)
	if err != nil {
		return err
	}
	c.number = d.fresh()
	d.add(c)
	return nil
}

// Same gives the card its own number.
func (d *desk) Same(n uint32, holder string) error {
	if d.has(n) {
		return errThere
	}
	c, err := printed(n, holder)
	if err != nil {
		return err
	}
	c.number = c.number
	d.add(c) // want `check-then-act: d.cards\[n\] was checked`
	return nil
}

// A counter has a part of the stock.
type counter struct {
	sync.RWMutex
	stock map[string]int
}

// A hall has counters, each with a lock of its own; the name of an article says where it is.
type hall struct{ counters [8]counter }

func newHall() *hall {
	h := new(hall)
	for i := range h.counters {
		h.counters[i].stock = make(map[string]int)
	}
	return h
}

// at neither locks nor reads what others write: it only names what its callers do.
func (h *hall) at(name string) *counter { return &h.counters[number(name)%8] }

func (h *hall) OnHand(name string) (int, error) {
	c := h.at(name)
	c.RLock()
	defer c.RUnlock()
	n, ok := c.stock[name]
	if !ok {
		return 0, errThere
	}
	return n, nil
}

func (h *hall) Add(name string, n int) {
	c := h.at(name)
	c.Lock()
	c.stock[name] += n
	c.Unlock()
}

// take asks whether there is such an article.
func (h *hall) take(name string, n int) error {
	c := h.at(name)
	c.Lock()
	defer c.Unlock()
	if _, ok := c.stock[name]; !ok {
		return errThere
	}
	c.stock[name] -= n
	return nil
}

// takeIfThere asks whether there is enough of it.
func (h *hall) takeIfThere(name string, n int) error {
	c := h.at(name)
	c.Lock()
	defer c.Unlock()
	if c.stock[name] < n {
		return errThere
	}
	c.stock[name] -= n
	return nil
}

// Sell may sell the last one twice.
func (h *hall) Sell(name string, n int) error {
	have, err := h.OnHand(name)
	if err != nil {
		return err
	}
	if have < n {
		return errThere
	}
	return h.take(name, n) // want `check-then-act: counter.stock was checked at line \d+, but counter.RWMutex was released when OnHand returned`
}

// SellIfThere asks first what it asks again.
func (h *hall) SellIfThere(name string, n int) error {
	have, err := h.OnHand(name)
	if err != nil {
		return err
	}
	if have < n {
		return errThere
	}
	return h.takeIfThere(name, n)
}

// A Lessor has leases that end unless they are renewed.
type Lessor struct {
	mu     sync.Mutex
	leases map[int]*lease
}

type lease struct{ id, until int }

func (l *Lessor) Grant(id int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leases[id] = &lease{id: id, until: 10}
}

func (l *Lessor) Renew(id, until int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.leases[id]
	if e == nil {
		return false
	}
	e.until = until
	return true
}

func (l *Lessor) expired(now int) []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []int
	for id, e := range l.leases {
		if e.until < now {
			ids = append(ids, id)
		}
	}
	return ids
}

func (l *Lessor) revoke(id int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.leases[id]
	if !ok {
		return errThere
	}
	l.drop(e)
	return nil
}

func (l *Lessor) drop(e *lease) { delete(l.leases, e.id) }

func (l *Lessor) revokeIf(id, now int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.leases[id]
	if !ok || e.until >= now {
		return errThere
	}
	l.drop(e)
	return nil
}

// Reap revokes what may have been renewed.
func (l *Lessor) Reap(now int) (n int) {
	for _, id := range l.expired(now) {
		if l.revoke(id) == nil { // want `check-then-act: l.leases\[…\].until was checked at line \d+`
			n++
		}
	}
	return n
}

// expiredSome stops at some number, so that the list depends on what it is by then, too.
func (l *Lessor) expiredSome(now, most int) []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []int
	for id, e := range l.leases {
		if e.until < now {
			ids = append(ids, id)
			if len(ids) == most {
				break
			}
		}
	}
	return ids
}

// ReapSome revokes what may have been renewed.
func (l *Lessor) ReapSome(now int) (n int) {
	for _, id := range l.expiredSome(now, 10) {
		if l.revoke(id) == nil { // want `check-then-act: l.leases\[…\].until was checked at line \d+`
			n++
		}
	}
	return n
}

// ReapRight asks again.
func (l *Lessor) ReapRight(now int) (n int) {
	for _, id := range l.expired(now) {
		if l.revokeIf(id, now) == nil {
			n++
		}
	}
	return n
}
