package fact

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// A generator makes random summaries that use all that the encoding can express, with the
// kinds of strings that facts contain.
type generator struct{ *rand.Rand }

func (g generator) text(list ...string) string { return list[g.Intn(len(list))] }

func (g generator) bool() bool { return g.Intn(2) == 0 }

func (g generator) path() accesspath.Path {
	return accesspath.Path(g.text("", "p0", "p0.mu", "p1.m[p2.key].mu", `p0.m[="a\x00b"]`, "@example.com/x#g", "@example.com/x#g~"))
}

func (g generator) location() accesspath.Location {
	return accesspath.Location(g.text("", "p#S.mu", "p#S.items", "@p#g", "p#S.n~"))
}

func (g generator) guard() lockset.Guard {
	return lockset.Guard{Path: g.path(), Class: g.location(), Mode: lockset.Mode(g.Intn(int(lockset.Once) + 1))}
}

// set returns a random set of numbers below n.
func (g generator) set(n int) uint64 {
	return g.Uint64() & g.Uint64() & (1<<n - 1)
}

func (g generator) params() uint32 {
	return []uint32{0, 1, 1 << (MaxParams - 1), math.MaxUint32, g.Uint32()}[g.Intn(5)]
}

func (g generator) pos() Pos { return Pos{Text: g.text("", "store.go:1", "store.go:41")} }

// indexes returns a random list of numbers below n, nil if it is empty.
func (g generator) indexes(n int) []int {
	var list []int
	for i := range n {
		if g.Intn(4) == 0 {
			list = append(list, i)
		}
	}
	return list
}

func (g generator) texts() []string {
	var list []string
	for range g.Intn(3) {
		list = append(list, g.text("1", "nil", `"x"`))
	}
	return list
}

func (g generator) function() *FuncSummary {
	f := &FuncSummary{
		Name:    g.text("f", "(*Store).Put", "Put$1"),
		Mutates: g.params(),
		Spawns:  g.bool(),
		Foreign: true,
	}
	for range g.Intn(4) {
		f.Effects = append(f.Effects, lockset.Op{
			Kind:    lockset.OpKind(g.Intn(int(lockset.Split) + 1)),
			Guard:   g.guard(),
			May:     g.bool(),
			Outcome: lockset.Outcome(g.Intn(int(lockset.IfNil) + 1)),
			Result:  g.Intn(4),
		})
	}
	for range g.Intn(MaxRegions + 1) {
		f.Regions = append(f.Regions, Region{Guard: g.guard(), Entry: g.bool(), Pos: g.pos()})
	}
	accesses := g.Intn(MaxAccesses + 1)
	for range accesses {
		f.Accesses = append(f.Accesses, Access{
			Op:            Op(g.Intn(math.MaxUint8 + 1)),
			Loc:           g.location(),
			Base:          g.path(),
			Key:           accesspath.Key(g.text("", "*", "p1", `="a"`, "p1;p2")),
			Regions:       g.set(len(f.Regions)),
			Data:          g.indexes(accesses),
			Control:       g.indexes(accesses),
			Excludes:      g.indexes(accesses),
			DataParams:    g.params(),
			ControlParams: g.params(),
			AddedParams:   g.params(),
			TrueParams:    g.params(),
			FalseParams:   g.params(),
			Traits:        Traits(g.Intn(allTraits + 1)),
			Const:         g.text("", "nil", "true", "-1"),
			RuledOut:      g.texts(),
			Depth:         uint8(g.Intn(MaxDepth + 1)),
			Calls:         uint8(g.Intn(MaxDepth + 1)),
			Pos:           g.pos(),
		})
	}
	for range g.Intn(4) {
		f.Results = append(f.Results, Result{Params: g.params(), Reads: g.indexes(accesses), Path: g.path(), Fresh: g.bool(), Nil: g.bool(), Verdict: g.bool(), Truth: Truth(g.Intn(3))})
	}
	for range g.Intn(3) {
		f.Outs = append(f.Outs, Out{Param: g.Intn(MaxParams), Reads: g.indexes(accesses)})
	}
	for range g.Intn(4) {
		c := ParamCall{Param: g.Intn(MaxParams), Kind: CallKind(g.Intn(int(Escapes) + 1)), Regions: g.set(len(f.Regions))}
		for range g.Intn(3) {
			c.Args = append(c.Args, accesspath.Path(g.text("", "p0.st", "p0.m[p1]")))
		}
		f.Calls = append(f.Calls, c)
	}
	for range g.Intn(4) {
		f.Acquires = append(f.Acquires, Acquisition{g.guard(), g.pos()})
	}
	return f
}

func (g generator) info(l accesspath.Location) *LocInfo {
	i := &LocInfo{
		Loc:        l,
		Guards:     g.locations(),
		Atomic:     g.bool(),
		InsertOnly: g.bool(),
		ClockOnly:  g.bool(),
		Latch:      g.text("", "true", "1"),
		Joint:      g.locations(),
	}
	for range g.Intn(4) {
		i.Writers = append(i.Writers, Writer{Func: g.text("f", "(*Store).Put"), Pos: g.pos(), Guards: g.locations(), Part: g.bool(), Effect: Effect(g.Intn(int(Lowers) + 1)), Const: g.text("", "nil", "true"), Fn: -1})
	}
	for range g.Intn(4) {
		i.Together = append(i.Together, TogetherWrite{g.location(), g.text("f", "g")})
	}
	return i
}

func (g generator) locations() []accesspath.Location {
	var list []accesspath.Location
	for range g.Intn(3) {
		list = append(list, g.location())
	}
	return list
}

// facts returns random content of a PackageSummary.
func (g generator) facts(funcs, locs int) (map[string]*FuncSummary, map[accesspath.Location]*LocInfo) {
	fs := make(map[string]*FuncSummary)
	for i := range funcs {
		fs[fmt.Sprintf("example.com/p#T%d.F", i)] = g.function()
	}
	ls := make(map[accesspath.Location]*LocInfo)
	for i := range locs {
		l := accesspath.Location(fmt.Sprintf("example.com/p#T%d.f", i))
		ls[l] = g.info(l)
	}
	return fs, ls
}

// decodeAll decodes all entries of a fact.
func decodeAll(data []byte) (map[string]*FuncSummary, map[accesspath.Location]*LocInfo, error) {
	t, err := decodePackage(data)
	if err != nil {
		return nil, nil, err
	}
	funcs := make(map[string]*FuncSummary)
	for k, data := range t.funcs {
		if funcs[k], err = t.function(data); err != nil {
			return nil, nil, err
		}
	}
	locs := make(map[accesspath.Location]*LocInfo)
	for l, data := range t.locs {
		if locs[l], err = t.location(l, data); err != nil {
			return nil, nil, err
		}
	}
	return funcs, locs, nil
}

func (g generator) view() *View {
	v := &View{Kind: ViewKind(g.Intn(int(JoinedView) + 1)), Guard: g.location(), Func: g.text("f", "(*S).Set"), Pos: g.pos(), Fn: -1}
	for range g.Intn(4) {
		v.Vars = append(v.Vars, Var{g.location(), g.path()})
	}
	for range g.Intn(3) {
		v.Removals = append(v.Removals, g.location())
		v.Locks = append(v.Locks, g.location())
	}
	return v
}

func TestViewsRoundTrip(t *testing.T) {
	g := generator{rand.New(rand.NewSource(5))}
	for range 100 {
		var views []*View
		for range g.Intn(6) {
			views = append(views, g.view())
		}
		data := EncodePackage(nil, nil, views)
		table, err := decodePackage(data)
		if err != nil {
			t.Fatal(err)
		}
		var got []*View
		for _, d := range table.views {
			v, err := table.view(d)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, v)
		}
		if !reflect.DeepEqual(got, views) {
			t.Fatalf("got %v\nwant %v", got, views)
		}
		for _, d := range table.views {
			if _, err := table.view(d[:len(d)-1]); err == nil {
				t.Fatal("a view that is cut off is no error")
			}
		}
	}
}

func TestRoundTrip(t *testing.T) {
	g := generator{rand.New(rand.NewSource(1))}
	for range 200 {
		funcs, locs := g.facts(g.Intn(5), g.Intn(5))
		data := EncodePackage(funcs, locs, nil)
		gotFuncs, gotLocs, err := decodeAll(data)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(gotFuncs, funcs) {
			t.Fatalf("got %v\nwant %v", gotFuncs, funcs)
		}
		if !reflect.DeepEqual(gotLocs, locs) {
			t.Fatalf("got %v\nwant %v", gotLocs, locs)
		}
		if !bytes.Equal(EncodePackage(gotFuncs, gotLocs, nil), data) {
			t.Fatal("what was decoded has another encoding")
		}
	}
}

// TestPositions demands that token.Pos values, which are valid in one package only, are not
// encoded.
func TestPositions(t *testing.T) {
	with := &FuncSummary{Regions: []Region{{Pos: Pos{Pos: 17, Text: "a.go:1"}}}}
	without := &FuncSummary{Regions: []Region{{Pos: Pos{Text: "a.go:1"}}}}
	if EncodeOne(with) != EncodeOne(without) {
		t.Error("the encoding depends on token.Pos")
	}
}

// TestDistinct demands that different summaries have different encodings. Each change is to
// one field, so that a field that the encoding leaves out fails the test.
func TestDistinct(t *testing.T) {
	g := generator{rand.New(rand.NewSource(2))}
	// Fields that are not encoded, or only in part.
	left := map[string]bool{
		"FuncSummary.Foreign": true,
		"Pos.Pos":             true,
		"Op.Case":             true, // a select statement ends before its function returns
		"Op.Waits":            true, // waiting has no effect on the locks of the caller
		"Op.Unnamed":          true, // effects have guards with paths
		"LocInfo.Loc":         true, // the location is the key of the entry
		"Writer.Fn":           true,
		"Writer.Loc":          true,
		"View.Fn":             true,
		"View.Nested":         true, // nested views are not exported
	}
	f := g.function()
	f.Effects = append(f.Effects, lockset.Op{})
	f.Regions = []Region{{}, {}}
	f.Accesses = []Access{{Data: []int{0}, Control: []int{0}, Excludes: []int{0}, RuledOut: []string{"1"}}}
	f.Results = []Result{{Reads: []int{0}}}
	f.Outs = []Out{{Reads: []int{0}}}
	f.Calls = []ParamCall{{Args: []accesspath.Path{"p0"}}}
	f.Acquires = []Acquisition{{}}
	w := g.view()
	w.Vars, w.Removals, w.Locks = []Var{{}}, []accesspath.Location{"p#S.x"}, []accesspath.Location{"p#S.mu"}
	i := g.info("p#S.x")
	i.Guards = []accesspath.Location{"p#S.mu"}
	i.Joint = []accesspath.Location{"p#S.y"}
	i.Writers = []Writer{{Guards: []accesspath.Location{"p#S.mu"}}}
	i.Together = []TogetherWrite{{}}
	encode := func() string {
		return string(EncodePackage(map[string]*FuncSummary{"f": f}, map[accesspath.Location]*LocInfo{"p#S.x": i}, []*View{w}))
	}
	before := encode()
	var vary func(path string, v reflect.Value)
	vary = func(path string, v reflect.Value) {
		if left[path] {
			return
		}
		switch v.Kind() {
		case reflect.Struct:
			for j := range v.NumField() {
				vary(v.Type().Name()+"."+v.Type().Field(j).Name, v.Field(j))
			}
			return
		case reflect.Slice:
			if v.Len() == 0 {
				t.Errorf("%s is empty: it is not tested", path)
			}
			for j := range v.Len() {
				vary(path, v.Index(j))
			}
			return
		}
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.String:
			v.SetString(v.String() + "x")
		case reflect.Int:
			v.SetInt(v.Int() ^ 1)
		case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			v.SetUint(v.Uint() ^ 1)
		default:
			t.Errorf("%s is of kind %s: it is not tested", path, v.Kind())
		}
		if encode() == before {
			t.Errorf("%s is not encoded", path)
		}
		v.Set(old)
	}
	vary("", reflect.ValueOf(f).Elem())
	vary("", reflect.ValueOf(i).Elem())
	vary("", reflect.ValueOf(w).Elem())
	if encode() != before {
		t.Error("the test does not restore what it changes")
	}
}

// TestDeterministic demands equal encodings of equal packages, whatever the order of map
// iteration: drivers cache facts by their bytes.
func TestDeterministic(t *testing.T) {
	g := generator{rand.New(rand.NewSource(3))}
	funcs, locs := g.facts(30, 30)
	want := EncodePackage(funcs, locs, nil)
	for range 10 {
		shuffledFuncs := make(map[string]*FuncSummary)
		keys := make([]string, 0, len(funcs))
		for k := range funcs {
			keys = append(keys, k)
		}
		g.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for _, k := range keys {
			shuffledFuncs[k] = funcs[k]
		}
		shuffledLocs := make(map[accesspath.Location]*LocInfo)
		for l, i := range locs {
			shuffledLocs[l] = i
		}
		if !bytes.Equal(EncodePackage(shuffledFuncs, shuffledLocs, nil), want) {
			t.Fatal("equal summaries have different encodings")
		}
	}
}

func TestVersion(t *testing.T) {
	data := EncodePackage(nil, nil, nil)
	if _, err := decodePackage(data); err != nil {
		t.Errorf("this version: %v", err)
	}
	other := append(binary.AppendUvarint(nil, FormatVersion+1), data[1:]...)
	_, err := decodePackage(other)
	if err == nil {
		t.Fatal("another version is no error")
	}
	for _, want := range []string{"version", fmt.Sprint(FormatVersion), fmt.Sprint(FormatVersion + 1)} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
}

// decodeSafely decodes all entries and reports a panic, a summary with indexes out of
// range, and memory out of proportion to the data.
func decodeSafely(data []byte) (bad string, err error) {
	var before, after runtime.MemStats
	defer func() {
		if r := recover(); r != nil {
			bad = fmt.Sprintf("panic: %v", r)
		}
	}()
	runtime.ReadMemStats(&before)
	funcs, locs, err := decodeAll(data)
	runtime.ReadMemStats(&after)
	// An access takes a dozen bytes encoded, and some 200 in memory; growing a slice
	// doubles that.
	if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(1<<16+len(data)*1000); got > limit {
		return fmt.Sprintf("%d bytes are decoded to %d bytes", len(data), got), err
	}
	for _, f := range funcs {
		if bad := invalid(f); bad != "" {
			return bad, err
		}
	}
	if err == nil {
		again, againLocs, err := decodeAll(EncodePackage(funcs, locs, nil))
		if err != nil || !reflect.DeepEqual(again, funcs) || !reflect.DeepEqual(againLocs, locs) {
			return fmt.Sprintf("what was decoded cannot be encoded: %v", err), nil
		}
	}
	return "", err
}

// invalid returns a description of the first invalid index of a decoded summary, or "":
// users of a summary do not check indexes.
func invalid(f *FuncSummary) string {
	indexes := func(list []int) bool {
		for _, i := range list {
			if i < 0 || i >= len(f.Accesses) {
				return false
			}
		}
		return true
	}
	regions := func(set uint64) bool { return len(f.Regions) >= 64 || set>>len(f.Regions) == 0 }
	for _, a := range f.Accesses {
		if !indexes(a.Data) || !indexes(a.Control) || !regions(a.Regions) {
			return fmt.Sprintf("access out of range: %+v", a)
		}
	}
	for _, r := range f.Results {
		if !indexes(r.Reads) {
			return fmt.Sprintf("result out of range: %+v", r)
		}
	}
	for _, c := range f.Calls {
		if c.Param < 0 || c.Param > MaxParams || !regions(c.Regions) || c.Kind > Escapes {
			return fmt.Sprintf("call out of range: %+v", c)
		}
	}
	for _, op := range f.Effects {
		if op.Kind > lockset.Split || op.Outcome > lockset.IfNil || op.Result < 0 {
			return fmt.Sprintf("effect out of range: %+v", op)
		}
		_ = op.Guard.Mode.String()
	}
	return ""
}

// TestCorrupt damages an encoding at every offset.
func TestCorrupt(t *testing.T) {
	g := generator{rand.New(rand.NewSource(4))}
	funcs := make(map[string]*FuncSummary)
	for i := range 3 {
		f := g.function()
		// Few accesses, for a short encoding that has all kinds of entries.
		f.Accesses = f.Accesses[:min(len(f.Accesses), 4)]
		for j := range f.Accesses {
			f.Accesses[j].Data, f.Accesses[j].Control = g.indexes(len(f.Accesses)), g.indexes(len(f.Accesses))
			f.Accesses[j].Excludes = g.indexes(len(f.Accesses))
		}
		for j := range f.Results {
			f.Results[j].Reads = g.indexes(len(f.Accesses))
		}
		for j := range f.Outs {
			f.Outs[j].Reads = g.indexes(len(f.Accesses))
		}
		funcs[fmt.Sprint("p#F", i)] = f
	}
	locs := map[accesspath.Location]*LocInfo{"p#S.x": g.info("p#S.x"), "p#S.y": g.info("p#S.y")}
	data := EncodePackage(funcs, locs, nil)
	if bad, err := decodeSafely(data); bad != "" || err != nil {
		t.Fatal(bad, err)
	}
	for n := range data {
		if _, err := decodePackage(data[:n:n]); err == nil {
			t.Errorf("truncated to %d of %d bytes: no error", n, len(data))
		}
		if n < headerSize {
			continue
		}
		bad, err := decodeSafely(seal(data[headerSize:n]))
		if bad != "" {
			t.Fatalf("truncated to %d bytes: %s", n, bad)
		}
		if err == nil {
			t.Errorf("truncated to %d of %d bytes, with a checksum that fits: no error", n, len(data))
		}
	}
	for _, longer := range [][]byte{append(bytes.Clone(data), 0), seal(append(bytes.Clone(data[headerSize:]), 0))} {
		if _, err := decodePackage(longer); err == nil {
			t.Error("a byte too many: no error")
		}
	}
	for n := range data {
		for bit := range 8 {
			flipped := bytes.Clone(data)
			flipped[n] ^= 1 << bit
			if _, err := decodePackage(flipped); err == nil {
				t.Errorf("bit %d of byte %d flipped: no error", bit, n)
			}
			// The same damage with a checksum that fits.
			if n < headerSize {
				continue
			}
			if bad, _ := decodeSafely(seal(flipped[headerSize:])); bad != "" {
				t.Fatalf("bit %d of byte %d flipped: %s", bit, n, bad)
			}
		}
	}
}

// headerSize is the size of the version and the checksum.
var headerSize = len(seal(nil))

// TestHugeCounts demands that decoding a count allocates no memory before the elements were
// read.
func TestHugeCounts(t *testing.T) {
	uvarints := func(list ...uint64) []byte {
		b := []byte{0} // not failed
		for _, u := range list {
			b = binary.AppendUvarint(b, u)
		}
		return b
	}
	zeros := make([]byte, 1<<16)
	for name, data := range map[string][]byte{
		"strings":         uvarints(1 << 40),
		"string":          uvarints(1, 1<<40),
		"functions":       uvarints(0, 1<<40),
		"locations":       uvarints(0, 0, 1<<40),
		"function":        uvarints(1, 1, 'f', 1, 0, 1<<40),
		"overflow":        append(uvarints(), bytes.Repeat([]byte{0xff}, 20)...),
		"many strings":    append(uvarints(1<<16), zeros...),
		"many functions":  append(uvarints(1, 0, 1<<15), zeros...),
		"empty functions": append(uvarints(1, 0, 1<<14), zeros[:1<<15]...),
		"nothing":         nil,
		"only the state":  uvarints(),
	} {
		if bad, err := decodeSafely(seal(data)); bad != "" || err == nil {
			t.Errorf("%s: %s, error %v", name, bad, err)
		}
	}
}

// FuzzDecode demands that decoding is safe for any data.
func FuzzDecode(f *testing.F) {
	g := generator{rand.New(rand.NewSource(6))}
	f.Add([]byte(nil))
	f.Add(EncodePackage(nil, nil, nil))
	for i := range 4 {
		funcs, locs := g.facts(i, 3-i)
		f.Add(EncodePackage(funcs, locs, nil))
	}
	f.Add([]byte(EncodeOne(&FuncSummary{Name: "f", Regions: make([]Region, MaxRegions), Accesses: []Access{{Regions: math.MaxUint32}}})))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, data := range [][]byte{data, seal(data)} {
			if bad, _ := decodeSafely(data); bad != "" {
				t.Error(bad)
			}
		}
	})
}
