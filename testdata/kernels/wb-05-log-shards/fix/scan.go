// Package accesslog adds up access logs which are split in shards.
package accesslog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// Totals is the sum of some log lines.
type Totals struct {
	Requests int
	Failures int
	Bytes    int64
}

func (t Totals) plus(u Totals) Totals {
	return Totals{
		Requests: t.Requests + u.Requests,
		Failures: t.Failures + u.Failures,
		Bytes:    t.Bytes + u.Bytes,
	}
}

func scanShard(r io.Reader) (t Totals, err error) {
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		f := strings.Fields(sc.Text())
		if len(f) < 3 {
			return t, fmt.Errorf("short line %q", sc.Text())
		}
		code, err := strconv.Atoi(f[1])
		if err != nil {
			return t, err
		}
		size, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			return t, err
		}
		t.Requests++
		if code >= 500 {
			t.Failures++
		}
		t.Bytes += size
	}
	return t, sc.Err()
}

// Scan reads all shards at once. It calls progress, if there is one, after
// each shard; progress must be safe for concurrent use.
func Scan(shards []io.Reader, progress func(Totals)) (Totals, error) {
	var (
		mu    sync.Mutex
		total Totals
		errs  []error
		wg    sync.WaitGroup
	)
	soFar := func() Totals {
		mu.Lock()
		defer mu.Unlock()
		return total
	}
	for i, shard := range shards {
		wg.Add(1)
		go func() {
			defer wg.Done()
			part, err := scanShard(shard)
			if err != nil {
				mu.Lock()
				errs = append(errs, fmt.Errorf("shard %d: %w", i, err))
				mu.Unlock()
				return
			}
			mu.Lock()
			total = total.plus(part)
			mu.Unlock()
			if progress != nil {
				progress(soFar())
			}
		}()
	}
	wg.Wait()
	return total, errors.Join(errs...)
}
