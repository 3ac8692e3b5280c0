# One picture of docs/performance: lines over n, both axes logarithmic. Called by tools/bench-report.sh with
#
#   data    a file of blocks, two empty lines between them: the name of the line in quotes, then n and figure
#   blocks  how many there are
#   colours one word for each: which line it is
#   output_file, heading, x_label, y_label, log_y (1 or 0)
set terminal svg size 640,400 dynamic font 'Helvetica,12' background 'white'
set output output_file
set title heading noenhanced
set xlabel x_label noenhanced
set ylabel y_label noenhanced
set logscale x 10
set autoscale xfix
if (log_y) set logscale y 10
if (!log_y) set yrange [0:*]
set format x "%.0s%c"
set grid xtics ytics linecolor rgb '#dddddd'
set key outside right top noenhanced
set border 3
set tics nomirror
colour(w) = w eq 'limit' ? '#000000' : w eq 'floor' ? '#888888' : w eq 'table' ? '#1f77b4' : \
            w eq 'sparse' ? '#d62728' : w eq 'group' ? '#9467bd' : w eq 'ring' ? '#2ca02c' : \
            w eq 'split' ? '#ff7f0e' : w eq 'second' ? '#17becf' : '#8c564b'
dashes(w) = w eq 'limit' || w eq 'floor' ? 2 : 1
plot for [i=0:blocks-1] data index i using 1:2 with linespoints pointtype 7 pointsize 0.4 linewidth 2 \
    dashtype dashes(word(colours, i + 1)) linecolor rgb colour(word(colours, i + 1)) title columnheader(1)
