import java.io.FileReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.lang.management.ManagementFactory;
import weka.classifiers.Classifier;
import weka.core.Instances;
import weka.core.OptionHandler;
import weka.core.Utils;

/**
 * Prints the least CPU seconds of a fit of Weka, and the most kilobytes that it held: FILE SECONDS
 * CLASS [OPTIONS] (bench_weka.py).
 */
public class WekaTimes {
    public static void main(String[] given) throws Exception {
        Instances data = new Instances(new FileReader(given[0]));
        data.setClassIndex(data.numAttributes() - 1);
        long end = System.nanoTime() + (long) (1e9 * Double.parseDouble(given[1]));
        double least = Double.POSITIVE_INFINITY;
        // What is compiled while it runs is fast in the end.
        while (System.nanoTime() < end) {
            Classifier model =
                (Classifier) Class.forName(given[2]).getDeclaredConstructor().newInstance();
            ((OptionHandler) model).setOptions(Utils.splitOptions(given[3]));
            long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            model.buildClassifier(data);
            long spent = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
            least = Math.min(least, spent / 1e9);
        }
        String status = Files.readString(Path.of("/proc/self/status"));
        System.out.println(least + " " + status.split("VmHWM:")[1].trim().split(" ")[0]);
    }
}
