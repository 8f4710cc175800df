package arithmeticdbok

import (
	"sync/atomic"
	"testing"
	"time"
)

// during runs unit and, the n-th time that unit pauses, other in a second
// goroutine. It waits for both and tells whether other could finish while unit
// was paused.
func during(n int32, unit, other func()) (between bool) {
	var calls atomic.Int32
	done := make(chan struct{})
	pause = func() {
		if calls.Add(1) != n {
			return
		}
		go func() {
			defer close(done)
			other()
		}()
		select {
		case <-done:
			between = true
		case <-time.After(50 * time.Millisecond):
		}
	}
	defer func() { pause = func() {} }()
	unit()
	<-done
	return between
}

func TestRun(t *testing.T) { Run() }

// repeated returns how many rows of results have a value of an earlier row and
// how many have a key of an earlier row.
func repeated(db *Database) (values, keys int) {
	seenValue, seenKey := map[int]bool{}, map[int]bool{}
	for _, r := range db.results.rows {
		if seenValue[r.value] {
			values++
		}
		if seenKey[r.key] {
			keys++
		}
		seenValue[r.value], seenKey[r.key] = true, true
	}
	return values, keys
}

// dangling returns how many expressions lead to no result.
func dangling(db *Database) (n int) {
	for _, e := range db.expressions.rows {
		found := false
		for _, r := range db.results.rows {
			found = found || r.key == e.value
		}
		if !found {
			n++
		}
	}
	return n
}

func TestResultOnce(t *testing.T) {
	var db Database
	between := during(2,
		func() { db.InsertExpression("1 2 +", 3) },
		func() { db.InsertExpression("2 1 +", 3) })
	if values, keys := repeated(&db); between || values != 0 || keys != 0 {
		t.Errorf("between = %v, %d results and %d keys are there twice; want none", between, values, keys)
	}
}

func TestResultOnceFromTheCheck(t *testing.T) {
	var db Database
	between := during(1,
		func() { db.InsertExpression("1 2 +", 3) },
		func() { db.InsertExpression("2 1 +", 3) })
	if values, keys := repeated(&db); between || values != 0 || keys != 0 {
		t.Errorf("between = %v, %d results and %d keys are there twice; want none", between, values, keys)
	}
}

func TestKeyOnce(t *testing.T) {
	var db Database
	between := during(2,
		func() { db.InsertExpression("1 2 +", 3) },
		func() { db.InsertExpression("2 2 +", 4) })
	if values, keys := repeated(&db); between || values != 0 || keys != 0 {
		t.Errorf("between = %v, %d results and %d keys are there twice; want none", between, values, keys)
	}
}

func TestDatabaseIsConsistent(t *testing.T) {
	db := Run()
	if n := dangling(db); n != 0 || db.expressions.Count() != 20 {
		t.Errorf("%d of %d expressions have no result; want 0 of 20", n, db.expressions.Count())
	}
	if values, keys := repeated(db); values != 0 || keys != 0 {
		t.Errorf("%d results and %d keys are there twice", values, keys)
	}
}
