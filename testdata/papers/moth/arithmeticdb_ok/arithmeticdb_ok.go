// Package arithmeticdbok is the database of arithmeticdb with the whole
// insertion in one critical section.
//
// No violation: no other insertion comes between the search for the result and
// the insertion of its row. The lock of a table is taken inside that of the
// database and serves those who only read.
package arithmeticdbok

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

// A row is one line of a table.
type row[K, V any] struct {
	key   K
	value V
}

// A Table is a list of rows.
type Table[K cmp.Ordered, V comparable] struct {
	mu   sync.Mutex
	rows []row[K, V]
}

// Insert adds a row.
func (t *Table[K, V]) Insert(key K, value V) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, row[K, V]{key, value})
}

// Count returns the number of rows.
func (t *Table[K, V]) Count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.rows)
}

// MaxKey returns the largest key, the zero key of an empty table.
func (t *Table[K, V]) MaxKey() (largest K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, r := range t.rows {
		if i == 0 || r.key > largest {
			largest = r.key
		}
	}
	return largest
}

// KeyOf returns the key of the first row with the value.
func (t *Table[K, V]) KeyOf(value V) (key K, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.rows {
		if r.value == value {
			return r.key, true
		}
	}
	return key, false
}

// A Database has expressions and their results. An expression leads to its
// result by the key of the result.
type Database struct {
	mu          sync.Mutex // held over a whole insertion
	expressions Table[string, int]
	results     Table[int, int]
}

// InsertExpression adds an expression, and its result if that is new.
func (db *Database) InsertExpression(expression string, result int) {
	db.mu.Lock()
	defer db.mu.Unlock()
	key, ok := db.results.KeyOf(result)
	if !ok {
		pause()
		key = db.results.MaxKey() + 1
		pause()
		db.results.Insert(key, result)
	}
	db.expressions.Insert(expression, key)
}

// randomExpression returns an expression in postfix notation and its result.
func randomExpression(r *rand.Rand) (string, int) {
	result := r.IntN(3)
	expression := fmt.Sprint(result)
	for range 1 + r.IntN(3) {
		n := r.IntN(3)
		if r.IntN(2) == 0 {
			expression, result = fmt.Sprintf("%s %d +", expression, n), result+n
		} else {
			expression, result = fmt.Sprintf("%s %d *", expression, n), result*n
		}
	}
	return expression, result
}

// client inserts five expressions.
func client(db *Database, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0))
	for range 5 {
		db.InsertExpression(randomExpression(r))
	}
}

// Run lets four clients fill one database.
func Run() *Database {
	db := new(Database)
	var wg sync.WaitGroup
	for c := range uint64(4) {
		wg.Go(func() { client(db, c) })
	}
	wg.Wait()
	return db
}
