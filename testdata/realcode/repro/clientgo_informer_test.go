//go:build atomvet

// An informer runs twice.
//
// Project: client-go 32ce75a7d6bc6960fd048d3d1e3b34185418d8c8
// Package: ./tools/cache
// Finding: IDINFORMER, tools/cache/shared_informer.go:875
// Found: 48
//
// The second call of RunWithContext comes between the question whether the informer has started and the
// answer's being stored: both list the objects. (They do not sync here; if they do, both close s.synced.)

package cache

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/atomvetrt"
)

func TestAtomvet(t *testing.T) {
	if err := atomvetrt.Try("informer", func() (unit, rival func() []any, state any) {
		var runs atomic.Int32
		started := make(chan struct{}, 100)
		s := NewSharedInformer(&ListWatch{
			ListWithContextFunc: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
				started <- struct{}{}
				<-ctx.Done()
				return nil, ctx.Err()
			},
			WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
				return nil, errors.New("no watch")
			},
		}, &v1.Pod{}, 0).(*sharedIndexInformer)
		run := func() []any {
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			defer cancel()
			s.RunWithContext(ctx)
			if len(started) > 0 {
				<-started
				runs.Add(1)
			}
			return nil
		}
		return run, run, &runs
	}); err != nil {
		t.Error(err)
	}
}
